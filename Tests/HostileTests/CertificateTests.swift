import Foundation
import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// Certificates that expire while the daemon serves, on a clock of its own.
    @Suite struct CertificateTests {
        private static let day: Int64 = 86_400

        private let folder: Scratch
        private let clock: ClockTests.ShiftedClock
        private let authority: TestAuthority

        init() throws {
            folder = try Scratch()
            clock = try ClockTests.ShiftedClock(in: folder)
            authority = try TestAuthority.shared()
        }

        private func daemon(_ signed: TestAuthority.Signed, _ options: [String]) throws -> RunningDaemon {
            try RunningDaemon(
                environment: clock.environment,
                options: [
                    "--certificate", signed.certificate, "--certificate-key", signed.key, "--authority", authority.file,
                ] + options)
        }

        private func port(_ daemon: RunningDaemon) throws -> String {
            let found = daemon.trace.firstMatch(of: /listening address=127\.0\.0\.1:([0-9]+)/)
            return try String(require(found).1)
        }

        private func tail(_ signed: TestAuthority.Signed, _ port: String) throws -> Program {
            let output = folder.place("tail")
            return try Program(
                [
                    Program.path("storectl"), "--json", "--socket", "tls://127.0.0.1:\(port)", "tail", "--reconnect",
                    "0",
                ],
                environment: [
                    "STORED_AUTHORITY=\(authority.file)", "STORED_CERTIFICATE=\(signed.certificate)",
                    "STORED_CERTIFICATE_KEY=\(signed.key)",
                ], output: output, errors: output)
        }

        @Test func `a client's connection ends with its certificate, and no other does`() throws {
            let daemon = try daemon(
                authority.sign("store"),
                ["--listen", "127.0.0.1:0", "--trust", "short=\(geteuid())", "--trust", "long=\(geteuid())"])
            let port = try port(daemon)
            let short = try tail(authority.sign("short", days: 5), port)
            let long = try tail(authority.sign("long", days: 50), port)
            let client = try daemon.client()
            try until("both follow") { try client.ask("STATS").contains(#""subscriptions":{"count":2"#) }
            try clock.set(ahead: 6 * Self.day)
            expect(try daemon.traces("certificate-ended certificate=short from=127.0.0.1:"))
            _ = try short.wait()
            expect(try client.ask("PING").hasPrefix("+") && long.poll() == nil)
            expect(!daemon.trace.contains("certificate-ended certificate=long"))
            withExtendedLifetime(long) {}
        }

        @Test func `a replica ends its link where the certificate of its source has expired`() throws {
            let source = try RemoteDaemon(
                trust: ["replica=\(geteuid())"], certificate: authority.sign("store", days: 5))
            let replica = try daemon(authority.sign("replica"), ["--follow", "127.0.0.1:\(source.port)"])
            expect(try replica.traces(" following "))
            try clock.set(ahead: 6 * Self.day)
            expect(
                try replica.traces(#"source-lost source=127.0.0.1:\#(source.port) position=0 reason="the peer's cert"#))
        }

        @Test func `the end of the own certificate is told from 14 days on, in the trace, a figure and a check`() throws
        {
            let daemon = try daemon(authority.sign("store", days: 30), ["--listen", "127.0.0.1:0"])
            let client = try daemon.client()
            func check(_ word: String, _ exit: Int32) throws {
                let limits = ["--warning", "ping=30", "--critical", "ping=60"]
                try until("the check says \(word)") {
                    let run = try daemon.storectl(arguments: ["check"] + limits)
                    return run.output.contains(word) && run.exit == .code(exit)
                }
            }
            try check("STORYKEEP OK", 0)
            expect(!daemon.trace.contains("certificate-ends"))
            try clock.set(ahead: 20 * Self.day)
            expect(try daemon.traces("certificate-ends certificate=store days=9"))
            try check("the certificate expires in 9 days", 1)
            try clock.set(ahead: 21 * Self.day)
            expect(try daemon.traces("certificate-ends certificate=store days=8"))
            try clock.set(ahead: 31 * Self.day)
            expect(try daemon.traces("certificate-ends certificate=store days=-2"))
            try check("the certificate has expired", 2)
            let figure = try client.rows("METRICS").joined()
            expect(figure.contains("storykeep_certificate_seconds -"), "\(figure)")
        }
    }
}
