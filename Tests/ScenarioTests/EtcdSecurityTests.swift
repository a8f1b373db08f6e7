import TestSupport
import Testing

extension MachineTests {
    /// Nodes over an etcd that demands certificates: `--cluster https://…`.
    @Suite struct EtcdSecurityTests {
        private static func node(
            _ etcd: RunningEtcd, _ signed: TestAuthority.Signed, by authority: TestAuthority, data: String? = nil,
            patience: Int = 30, _ options: String...
        ) throws -> RunningDaemon {
            try RunningDaemon(
                data: data,
                options: [
                    "--cluster", "https://127.0.0.1:\(etcd.securePort)", "--node", "n1", "--lease", "2", "--patience",
                    "\(patience)", "--certificate", signed.certificate, "--certificate-key", signed.key, "--authority",
                    authority.file,
                ] + options, isStarted: false)
        }

        @Test func `a node shows its certificate to etcd, leads, and goes on after etcd was killed`() throws {
            let authority = try TestAuthority.shared()
            let etcd = try RunningEtcd(secureBy: authority)
            let signed = try authority.sign("n1")
            let made = try Self.node(etcd, signed, by: authority, "--create")
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let node = try Self.node(etcd, signed, by: authority, data: made.data)
            try node.start()
            let client = try node.client()
            expect(try client.ask(Load.append(to: "note-1", count: 500, size: 1_000)).hasPrefix("+"))
            try etcd.kill()
            try etcd.restart()
            expect(try client.ask(Load.append(to: "note-1", count: 1, size: 10)).number("position") == 501)
            expect(try client.ask("PING min=now").number("position") == 501)
            expect(node.trace.contains(" engine-found endpoint=https://127.0.0.1:\(etcd.securePort) "))
            expect(try node.stop() == .code(0), "\(node.trace)")
        }

        @Test func `a certificate of another authority is refused, on both sides, and the reason is said`() throws {
            let (authority, other) = (try TestAuthority.shared(), try TestAuthority("Another authority"))
            let etcd = try RunningEtcd(secureBy: authority)
            // An alert may be lost, since etcd closes a connection on which more has come by then.
            for (signer, trusted, reasons) in [
                (authority, other, ["the peer's certificate is not accepted"]),
                (other, authority, ["the peer refused the connection", "it closed the connection"]),
            ] {
                let node = try Self.node(etcd, signer.sign("n1"), by: trusted, patience: 4, "--create")
                try node.launch()
                expect(try node.wait() == .code(2))
                expect(node.trace.contains("did not answer within 4 s: https://"))
                expect(reasons.contains { node.trace.contains($0) }, "\(node.trace)")
                expect(!Files.exists(node.data))
            }
        }

        @Test func `files that are no certificates are refused at the start, and https wants some`() throws {
            let authority = try TestAuthority.shared()
            let etcd = try RunningEtcd(secureBy: authority)
            let none = TestAuthority.Signed(certificate: "/nowhere.pem", key: "/nowhere.key")
            let node = try Self.node(etcd, none, by: authority, "--create")
            try node.launch()
            expect(try node.wait() == .code(2) && node.trace.contains("certificate: /nowhere.pem cannot be read"))
        }
    }
}
