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
        let settings = #"{"on":"events/\#(writer)-*","window":20,"attempts":0}"#
        try until("a cursor is made") {
            try sockets.contains {
                try ChaosThread.connected($0)?.ask("CURSOR \(name) \(settings)").hasPrefix("+") == true
            }
        }
        thread = ChaosThread { isEnding in
            var random = SplitMix64(seed: seed)
            while !isEnding() {
                guard let client = ChaosThread.connected(sockets.randomElement(using: &random) ?? "") else { continue }
                try? ChaosWorker.work(name, WorkerSocket(client), ledger, until: isEnding)
                usleep(20_000)
            }
        }
    }

    /// Has it end, and waits for that.
    func end() throws { try thread.end() }

    /// Does events until the node is gone, or leads no more.
    private static func work(
        _ name: String, _ worker: WorkerSocket, _ ledger: Ledger, until isEnding: () -> Bool
    ) throws {
        guard var done = try worker.ask("WORK \(name)").number("at") else { return }
        while !isEnding() {
            guard worker.hasPush else {
                usleep(2_000)
                continue
            }
            let push = try worker.push()
            guard !push.contains(#"{"end":"#) else { return }
            guard push.text("stream") != nil, let position = push.number("position") else { continue }
            guard position > done else { return ledger.complain("\(position) came behind \(done): \(push)") }
            let output = #"{"type":"Done","data":{"of":\#(position)}}"#
            guard try worker.ask("APPEND out-\(name) cursor=\(name)@\(position) \(output)").hasPrefix("+") else {
                return
            }
            done = position
        }
    }
}
