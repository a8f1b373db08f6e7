import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// A replica of a store on another machine: `stored --follow HOST:PORT`.
    @Suite struct RemoteReplicaTests {
        private func replica(
            of source: RemoteDaemon, as name: String, data: String? = nil, isStarted: Bool = true
        ) throws -> RunningDaemon {
            let signed = try source.authority.sign(name)
            return try RunningDaemon(
                data: data,
                options: [
                    "--follow", "127.0.0.1:\(source.port)", "--certificate", signed.certificate, "--certificate-key",
                    signed.key, "--authority", source.authority.file, "--patience", "1",
                ],
                isStarted: isStarted)
        }

        @Test func `a replica on another machine has the same log, also after a kill of its own`() throws {
            let source = try RemoteDaemon(trust: ["replica=61001"], options: ["--allow", "61001=read"])
            let writer = try source.daemon.client()
            expect(try writer.ask(Load.append(to: "note-1", count: 200, size: 2_000)).hasPrefix("+"))
            let first = try replica(of: source, as: "replica")
            _ = try DaemonTests.ReplicaTests.settle(first, source.daemon)
            let refused = try first.client().ask(DaemonTests.ReplicaTests.event)
            expect(refused.text("code") == "notLeader" && refused.text("address") == "127.0.0.1:\(source.port)")
            try first.kill()
            expect(try writer.ask(Load.append(to: "note-2", count: 200, size: 2_000)).hasPrefix("+"))
            let second = try replica(of: source, as: "replica", data: first.data)
            expect(try second.client().ask("PING min=now").number("position") == 400)
            try DaemonTests.ReplicaTests.expectEqual(second, source.daemon)
        }

        @Test func `one that the source does not let in ends with its reason, and makes nothing`() throws {
            let source = try RemoteDaemon()
            let stranger = try replica(of: source, as: "stranger", isStarted: false)
            try stranger.launch()
            expect(try stranger.wait() == .code(2))
            expect(
                stranger.trace.contains(#"the certificate "stranger" stands for no user here"#), "\(stranger.trace)")
            expect(access(stranger.data, F_OK) != 0)
        }
    }
}
