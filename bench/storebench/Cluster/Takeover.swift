import Glibc

/// The changes of the node that leads, and how long no write is acknowledged then.
enum Takeover {
    static let nodes = ["n1", "n2", "n3"]

    enum Cause {
        case promoted, ended, killed
        /// The process makes no progress, and its sockets stay open, as those of a machine that is gone.
        case stopped
    }

    /// Three members of etcd and three nodes of a log.
    static func fill(_ stage: Stage) throws(BenchError) {
        guard stage.isFirst("three nodes") else { return }
        _ = try stage.etcd(members: 3)
        try stage.makeLog(of: nodes[0])
        _ = try stage.leader(of: [nodes[0]])
        _ = try stage.leader(of: nodes)
    }

    /// The longest time without a receipt, in seconds, of a client that writes at a node that follows; from the moment at
    /// which the change was asked for, until another node leads and some more writes are acknowledged.
    static func silence(_ cause: Cause, _ stage: Stage) throws(BenchError) -> Double {
        let leader = try stage.leader(of: nodes)
        let others = nodes.filter { $0 != leader }
        let client = Client(try stage.node(others[0]).address, stage.number("takeovers"))
        for _ in 0..<10 { try client.write() }
        let (server, other) = (try stage.node(leader), others[1])
        switch cause {
        case .promoted: break
        case .ended: server.send(SIGTERM)
        case .killed: server.send(SIGKILL)
        case .stopped: server.send(SIGSTOP)
        }
        let seconds = try client.silence(promoting: cause == .promoted ? other : nil, insteadOf: leader)
        switch cause {
        case .promoted: break
        case .ended: stage.stop(leader)
        case .killed: stage.kill(leader)
        case .stopped: server.send(SIGCONT)
        }
        _ = try stage.leader(of: nodes)
        return seconds
    }

    /// A client that writes one event after the other, each with a key, until it is acknowledged.
    private final class Client {
        private let path: String
        private let writer: Link
        private let control: Link
        private var number = 0

        /// - Parameter run: a number that no other client has, for its keys.
        init(_ path: String, _ run: Int) {
            self.path = path
            writer = Link(path, StoreDialect(run: run))
            control = Link(path, StoreDialect())
        }

        func write() throws(BenchError) {
            let began = Clock.now()
            repeat {
                guard Clock.seconds(since: began) < 60 else {
                    throw BenchError("no write is acknowledged for a minute")
                }
                writer.add(0) { writer.dialect.ask(.appendKeyed, number, &$0) }
            } while !writer.settle()
            number += 1
        }

        /// - Parameter promoting: the node that is to lead; nil where the change was made already.
        func silence(promoting node: String?, insteadOf leader: String) throws(BenchError) -> Double {
            var (longest, last, more) = (UInt64(0), Clock.now(), 10)
            if let node { promote(node) }
            while more > 0 {
                try write()
                let now = Clock.now()
                (longest, last) = (max(longest, now - last), now)
                if isLed(by: leader) { try repeatIfRefused(node) } else { more -= 1 }
            }
            return Double(longest) / 1e9
        }

        private func isLed(by leader: String) -> Bool {
            let found = Member.text("\"leader\":", of: Link(path, StoreDialect()).greeting)
            return found == nil || found == leader
        }

        private func promote(_ node: String) {
            control.add(0) { $0.put(text: "CLUSTER promote \(node)\n") }
            control.flush()
        }

        /// A node that has just started is not promoted before it has reported.
        private func repeatIfRefused(_ node: String?) throws(BenchError) {
            guard let node, control.receive(0, { _ in }).failures > 0 else { return }
            promote(node)
        }
    }
}
