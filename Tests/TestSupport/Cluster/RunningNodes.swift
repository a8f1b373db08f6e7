/// The nodes of a log in an etcd, as processes; n1 leads at first.
package struct RunningNodes {
    package let etcd: RunningEtcd
    package let nodes: [RunningDaemon]
    /// The daemon that made the log, whose folder the first node's data are in.
    private let maker: RunningDaemon

    /// Makes a log, and starts its nodes.
    ///
    /// - Parameter lease: the seconds of a lease.
    package init(_ count: Int, lease: Int = 2) throws {
        let etcd = try RunningEtcd()
        let options = { (name: String) in
            ["--cluster", "http://127.0.0.1:\(etcd.port)", "--node", name, "--lease", "\(lease)", "--patience", "30"]
        }
        maker = try RunningDaemon(options: options("n1") + ["--create"], isStarted: false)
        try maker.launch()
        guard try maker.wait() == .code(0) else { throw TookTooLong(what: "the log is made: \(maker.trace)") }
        let data = maker.data
        nodes = try (1...count).map { number in
            try RunningDaemon(data: number == 1 ? data : nil, options: options("n\(number)"), isStarted: false)
        }
        self.etcd = etcd
        for node in nodes { try node.start() }
        let states = ["leading"] + Array(repeating: "following", count: count - 1)
        try until("n1 leads, and each node has seen all others report") {
            try nodes.allSatisfy { node in
                let told = try node.client().rows("CLUSTER")
                return told.compactMap { $0.text("state") } == states && told.allSatisfy { $0.contains(#""seen":"#) }
            }
        }
    }

    /// Returns the node of a name: `n1` is the first.
    package subscript(name: String) -> RunningDaemon { nodes[(Int(name.dropFirst()) ?? 1) - 1] }

    /// Returns the state that a node says it has.
    package func state(_ name: String) throws -> String? { try LineSocket(self[name].socket).line().text("state") }
}
