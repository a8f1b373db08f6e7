import Glibc
import TestSupport

/// A worker at whichever node leads: each event of one writer gets an output, in one commit with the move of the cursor.
struct ChaosWorker: Sendable {
    private let thread: ChaosThread

    /// - Parameters:
    ///   - sockets: the sockets of the nodes.
    ///   - writer: the name of the writer whose events it does.
    init(at sockets: [String], for writer: String, _ ledger: Ledger, seed: UInt64) throws {
        let name = "of-\(writer)"
        try until("a cursor is made") {
            try sockets.contains { socket in
                try LineSocket(socket).greeted()
                    .ask(#"CURSOR \#(name) {"on":"events/\#(writer)-*","window":20,"attempts":0}"#).hasPrefix("+")
            }
        }
        thread = ChaosThread { isEnding in
            var random = SplitMix64(seed: seed)
            while !isEnding() {
                guard let client = ChaosThread.connected(sockets.randomElement(using: &random) ?? "") else { continue }
                if (try? ChaosWorker.work(name, client, ledger, until: isEnding)) == nil { usleep(20_000) }
            }
        }
    }

    /// Has it end, and waits for that.
    func end() throws { try thread.end() }

    /// Does events until the node is gone, or leads no more.
    private static func work(
        _ name: String, _ client: LineSocket, _ ledger: Ledger, until isEnding: () -> Bool
    ) throws {
        client.send("WORK \(name)")
        guard var done = try client.line().number("at") else {
            usleep(20_000)
            return
        }
        var pushes: [String] = []
        while !isEnding() {
            guard !pushes.isEmpty || client.hasBytes else {
                usleep(2_000)
                continue
            }
            let push = pushes.isEmpty ? try client.line() : pushes.removeFirst()
            guard !push.contains(#"{"end":"#) else { return }
            guard push.text("stream") != nil, let position = push.number("position") else { continue }
            guard position > done else { return ledger.complain("\(position) came behind \(done): \(push)") }
            client.send(
                #"APPEND out-\#(name) cursor=\#(name)@\#(position) {"type":"Done","data":{"of":\#(position)}}"#)
            var answer = try client.line()
            while answer.hasPrefix(">") {
                pushes.append(answer)
                answer = try client.line()
            }
            guard answer.hasPrefix("+") else { return }
            done = position
        }
    }
}

extension LineSocket {
    /// Reads the greeting.
    fileprivate func greeted() throws -> LineSocket {
        _ = try line()
        return self
    }
}
