import TestSupport

/// A client that writes to whichever node it reaches, and notes what became of each write.
///
/// Half of the writes whose outcome it does not know it sends again, with their keys, until they are acknowledged.
struct ChaosWriter: Sendable {
    private let thread: ChaosThread

    /// - Parameters:
    ///   - name: the beginning of its keys and streams; no other writer has it.
    ///   - sockets: the sockets of the nodes.
    init(_ name: String, to sockets: [String], _ ledger: Ledger, seed: UInt64) {
        thread = ChaosThread { isEnding in
            var run = Run(name: name, sockets: sockets, ledger: ledger, random: SplitMix64(seed: seed))
            while !isEnding() { run.visit(until: isEnding) }
            run.end()
        }
    }

    /// Has it end, and waits for that.
    func end() throws { try thread.end() }

    private struct Run {
        let name: String
        let sockets: [String]
        let ledger: Ledger
        var random: SplitMix64
        private var number = 0
        /// The writes of unknown outcome that it sends again.
        private var again: [NotedWrite] = []

        init(name: String, sockets: [String], ledger: Ledger, random: SplitMix64) {
            (self.name, self.sockets, self.ledger, self.random) = (name, sockets, ledger, random)
        }

        /// Writes to one of the nodes for a while.
        mutating func visit(until isEnding: () -> Bool) {
            let socket = sockets.randomElement(using: &random) ?? ""
            guard let client = ChaosThread.connected(socket) else { return }
            for _ in 0..<100 where !isEnding() {
                if random.oneIn(10) { guard see(client) else { return } }
                var write = again.popLast() ?? makeWrite()
                guard send(&write, to: client) else { return }
            }
        }

        /// Notes the writes whose outcome stays unknown.
        mutating func end() {
            for write in again { ledger.note(write) }
            again = []
        }

        /// Asks for all that anybody was acknowledged before; false where the node is gone.
        private func see(_ client: LineSocket) -> Bool {
            let before = ledger.highest
            guard let answer = try? client.ask("PING min=now") else { return false }
            if answer.hasPrefix("+"), let position = answer.number("position"), position < before {
                ledger.complain("min=now showed \(position), and \(before) was acknowledged before")
            }
            return true
        }

        /// Sends a write; false where the node is gone, or wants the client to go on elsewhere.
        private mutating func send(_ write: inout NotedWrite, to client: LineSocket) -> Bool {
            write.attempts += 1
            guard let answer = try? client.ask(write.line) else {
                keep(write)
                return false
            }
            if answer.hasPrefix("+"), let position = answer.number("position") {
                write.position = position
                ledger.noteReceipt(position)
                ledger.note(write)
                return true
            }
            if answer.text("outcome") == "unknown" {
                keep(write)
                return false
            }
            guard ["unavailable", "draining", "busy", "full"].contains(answer.text("code")) else {
                ledger.complain("\(write.line.prefix(80)) was answered \(answer)")
                ledger.note(write)
                return false
            }
            // An earlier attempt of unknown outcome may have been taken all the same.
            if write.attempts > 1 {
                again.append(write)
            } else {
                write.isDenied = true
                ledger.note(write)
            }
            return false
        }

        private mutating func keep(_ write: NotedWrite) {
            if write.attempts > 1 || random.oneIn(2) { again.append(write) } else { ledger.note(write) }
        }

        private mutating func makeWrite() -> NotedWrite {
            number += 1
            let key = "\(name).\(number)"
            let count = random.oneIn(5) ? Int.random(in: 2...5, using: &random) : 1
            let text = String(repeating: "x", count: random.oneIn(20) ? 4_000 : 40)
            let events = (0..<count).map { #"{"type":"Wrote","data":{"key":"\#(key)","n":\#($0),"text":"\#(text)"}}"# }
            let body = count == 1 ? events[0] : "[\(events.joined(separator: ","))]"
            return NotedWrite(key: key, count: count, line: "APPEND \(name)-\(number % 3) key=\(key) \(body)")
        }
    }
}
