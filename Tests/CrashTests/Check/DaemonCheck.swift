import TestSupport

/// Starts the daemon itself on an image, asks it for everything, and kills it after three writes more.
struct DaemonCheck {
    private let recording: Recording

    init(_ recording: Recording) { self.recording = recording }

    /// - Returns: where the log of the image ends.
    func run(_ path: String, required: UInt64) throws -> UInt64 {
        let daemon = try RunningDaemon(data: path, options: ["--journal", "\(StoreCheck.journal)"])
        var client = try daemon.client()
        // A definition that is not active yet becomes so, and an erasure that has not ended ends.
        try DeclaredLoad.check(client)
        try until("no erasure is under way") { try !client.ask("STATS").contains(#""erasing""#) }
        let end = try client.ask("PING").number("position") ?? 0
        let head = try known(client, end)
        guard head >= required else { throw Violated("it ends at \(head), and \(required) left the daemon") }
        guard head <= recording.reference.head else { throw Violated("it ends at \(head): more than was written") }
        try checkEvents(client, head)
        try checkKeys(client, head)
        for number in 1...3 {
            let reply = try client.ask(#"APPEND more-1 key=more\#(number) {"type":"More","data":{"n":\#(number)}}"#)
            guard reply.number("position") == end + UInt64(number) else { throw Violated("a write more: \(reply)") }
        }
        try daemon.kill()
        try daemon.start()
        client = try daemon.client()
        let again = try client.ask(#"APPEND more-1 key=more3 {"type":"More","data":{"n":3}}"#)
        guard again.number("position") == end + 3, again.contains(#""repeated":true"#) else {
            throw Violated("a key is forgotten: \(again)")
        }
        try DeclaredLoad.check(client)
        let verified = try client.ask("VERIFY")
        guard verified.number("verified") == end + 3 else { throw Violated("VERIFY: \(verified)") }
        guard try daemon.stop() == .code(0) else { throw Violated("SIGTERM: \(daemon.trace)") }
        let run = try daemon.storectl("replay", "--verify", offline: true)
        guard run.exit == .code(0) else { throw Violated("replay: \(run.output)\(run.errors)") }
        return head
    }

    /// The last event of the image: the daemon itself may have added that a definition is active or an erasure has ended.
    private func known(_ client: LineSocket, _ end: UInt64) throws -> UInt64 {
        let last = try client.rows("READ events order=desc limit=10")
        let added = last.prefix { row in
            let position = row.number("position") ?? 0
            let isKnown = position <= recording.reference.head && row.hasSuffix(recording.reference.text(position))
            return ["ModelActivated", "ErasureDone"].contains(row.text("type")) && !isKnown
        }
        return end - UInt64(added.count)
    }

    private func checkEvents(_ client: LineSocket, _ head: UInt64) throws {
        var position: UInt64 = 0
        while position < head {
            let rows = try client.rows("READ events from=\(position + 1) limit=10000")
            guard !rows.isEmpty else { throw Violated("the daemon has \(position) events of \(head)") }
            for row in rows.prefix(Int(head - position)) {
                position += 1
                let json = row.drop { $0 != "{" }
                guard recording.reference.isSame(json.utf8, at: position) else {
                    throw Violated("position \(position) is another event than was written")
                }
            }
        }
    }

    /// A request that is sent again is answered with the receipt that it had.
    private func checkKeys(_ client: LineSocket, _ head: UInt64) throws {
        for (line, receipt) in recording.receipts where receipt.position ?? .max <= head {
            let reply = try client.ask(line)
            guard reply.contains(#""repeated":true"#), reply.number("position") == receipt.position else {
                throw Violated("\(line.prefix(80)) is not known any more: \(reply)")
            }
        }
    }
}
