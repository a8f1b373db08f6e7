import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// Nodes that reach one another by TLS, each with a certificate of its own.
    @Suite struct NodesOverTLSTests {
        private let etcd: RunningEtcd
        private let authority: TestAuthority

        init() throws { (etcd, authority) = (try RunningEtcd(), try TestAuthority.shared()) }

        /// A node that listens at a port of its own, and shows a certificate with its name.
        private func node(
            _ name: String, data: String? = nil, _ options: String...
        ) throws -> (daemon: RunningDaemon, port: UInt16) {
            let port = try LoopbackPort.free()
            let signed = try authority.sign(name)
            let daemon = try RunningDaemon(
                data: data,
                options: [
                    "--cluster", "http://127.0.0.1:\(etcd.port)", "--node", name, "--patience", "60",
                    "--listen", "127.0.0.1:\(port)", "--certificate", signed.certificate, "--certificate-key",
                    signed.key, "--authority", authority.file,
                ] + options, isStarted: false)
            return (daemon, port)
        }

        /// Sends a line as the certificate "laptop" does, and returns what `storectl` printed.
        private func asLaptop(_ port: UInt16, _ line: String) throws -> String {
            let signed = try authority.sign("laptop")
            let folder = try Scratch()
            let (input, output) = (folder.place("input"), folder.place("output"))
            try Files.write(line + "\n", to: input)
            let tool = try Program(
                [try Program.path("storectl"), "--socket", "tls://127.0.0.1:\(port)", "pipe"],
                environment: [
                    "STORED_AUTHORITY=\(authority.file)", "STORED_CERTIFICATE=\(signed.certificate)",
                    "STORED_CERTIFICATE_KEY=\(signed.key)",
                ], input: input, output: output, errors: output)
            _ = try tool.wait()
            return Files.text(output)
        }

        @Test func `a write at a follower goes to the leader over TLS, as the user who sent it`() throws {
            let made = try node("n1", "--create").daemon
            try made.launch()
            try require(try made.wait() == .code(0), "\(made.trace)")
            let trust = ["--trust", "laptop=\(geteuid())"]
            let (leader, port) = try node("n1", data: made.data, trust[0], trust[1])
            try leader.start()
            expect(try leader.traces(" leading log=main"))
            let (follower, _) = try node("n2")
            try follower.start()
            expect(try follower.traces(" leader-reached "))
            let greeting = try LineSocket(follower.socket).line()
            expect(greeting.text("address") == "127.0.0.1:\(port)", "\(greeting)")
            let client = try follower.client()
            for number in 1...20 {
                let receipt = try client.ask(#"APPEND note-1 {"type":"Wrote","data":\#(number)}"#)
                expect(receipt.number("position") == UInt64(number), "\(receipt)")
            }
            expect(try client.rows("READ events from=20").first?.number("by") == UInt64(geteuid()))
            // A certificate that is trusted as this very user is no node's.
            let forged = try asLaptop(port, #"AS 5 APPEND note-1 {"type":"Wrote","data":1}"#)
            expect(forged.contains("AS is for the nodes of a log alone"), "\(forged)")
            try leader.kill()
            expect(try client.ask(#"APPEND note-1 key=k {"type":"Wrote","data":21}"#).number("position") == 21)
            expect(try follower.traces(" leader-gone "))
            expect(try follower.stop() == .code(0), "\(follower.trace)")
        }
    }
}
