import Foundation
import StoryCluster

/// A log of several nodes on this machine, and the etcd that orders it. One row's etcd has one log.
extension Stage {
    /// How long a node that leads may be silent, in seconds: the default, but where only the tests wait.
    private var lease: Int { size.form == "tiny" ? 2 : 3 }

    /// As docs/cluster.md has them.
    private static let etcdSettings = [
        "--heartbeat-interval", "100", "--election-timeout", "1000", "--snapshot-count", "1000",
        "--quota-backend-bytes", "2147483648",
    ]

    /// The members of etcd, which are started the first time.
    func etcd(members: Int = 1) throws(BenchError) -> [Service] {
        if isFirst("etcd") {
            setNext("members", members)
            // Another process may have taken a port between its choice and its use.
            for left in (0..<3).reversed() {
                do {
                    try startEtcd(members)
                    break
                } catch { guard left > 0 else { throw error } }
                for number in 1...members { stop("etcd\(number)") }
            }
        }
        return try (1...next("members")).map { (number) throws(BenchError) in
            try service("etcd\(number)") { _ throws(BenchError) in throw BenchError("etcd has ended") }
        }
    }

    /// A member serves once most of them run, so only the last one is waited for.
    private func startEtcd(_ members: Int) throws(BenchError) {
        guard let program = Command.find("etcd") else { throw BenchError("etcd: install etcd-server") }
        let (addresses, attempt) = (try Loopback.free(2 * members), number("starts of etcd"))
        let (clients, peers) = (Array(addresses[..<members]), Array(addresses[members...]))
        let cluster = peers.enumerated().map { "etcd\($0.offset + 1)=http://\($0.element)" }.joined(separator: ",")
        for index in 0..<members {
            let (name, client, peer) = ("etcd\(index + 1)", "http://\(clients[index])", "http://\(peers[index])")
            let addresses = [
                "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster,
            ]
            let command =
                [program, "--name", name, "--data-dir", "\(folder.path)/\(name)-\(attempt)"] + addresses
                + Stage.etcdSettings
            _ = try service(name) { folder throws(BenchError) in
                try Service(name, command, in: folder, address: clients[index]) {
                    index + 1 < members || clients.allSatisfy(EtcdClient.isServing)
                }
            }
        }
    }

    /// A node of the log; it is started where it does not run.
    func node(_ name: String) throws(BenchError) -> Service {
        let command = try nodeCommand(name)
        let socket = socket(name)
        return try service(name) { folder throws(BenchError) in
            try Service(name, command, in: folder, address: socket) { Services.answers(socket) }
        }
    }

    /// Makes the log out of a node's directory, which may be empty.
    func makeLog(of name: String) throws(BenchError) { _ = try Command.run(nodeCommand(name) + ["--create"]) }

    private func nodeCommand(_ name: String) throws(BenchError) -> [String] {
        let urls = try etcd().map { "http://\($0.address)" }.joined(separator: ",")
        return [
            try Services.stored(), "--data", data(name), "--socket", socket(name), "--cluster", urls, "--node", name,
            "--lease", "\(lease)",
        ]
    }

    func data(_ node: String) -> String { "\(folder.path)/\(node)" }
    private func socket(_ node: String) -> String { "\(folder.path)/\(node).s" }

    /// The name of the node that leads, once one of them does and the others follow.
    func leader(of names: [String]) throws(BenchError) -> String {
        let end = Clock.now() + 60_000_000_000
        while Clock.now() < end {
            let states = try names.map { (name) throws(BenchError) in
                Member.text("\"state\":", of: Link(try node(name).address, StoreDialect()).greeting)
            }
            if let index = states.firstIndex(of: "leading"),
                states.count(where: { $0 == "following" }) == names.count - 1
            {
                return names[index]
            }
            usleep(5_000)
        }
        throw BenchError("no node leads while the others of \(names.joined(separator: ", ")) follow")
    }

    /// The bytes of the last entry's value, and the number of its events.
    func lastEntry() throws(BenchError) -> (bytes: Int, events: Int) {
        let range = OrderingRange.prefix(LogKeys(log: "main").entries, limit: 1, order: .descending)
        guard let entry = try EtcdClient(etcd()[0].address).keys(range).first,
            let (head, _, _) = try? EntryHead.read(entry.value)
        else { throw BenchError("etcd has no entry of the log") }
        return (entry.value.count, head.count)
    }
}
