import Foundation
import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// Clients on other machines: `listen`, certificates and `trust`.
    @Suite struct RemoteTests {
        private static let event = #"{"type":"A","data":1}"#

        @Test func `storectl works over TLS as over the socket, and its user is the one of its certificate`() throws {
            let remote = try RemoteDaemon(trust: ["laptop=61002"], options: ["--allow", "61002=write"])
            let laptop = try remote.authority.sign("laptop")
            let made = try remote.storectl("pipe", as: laptop, input: "APPEND note-1 \(Self.event)\n")
            expect(made.exit == .code(0), "\(made.errors)")
            let read = try remote.storectl("--json", "read", "note-1", as: laptop)
            expect(read.output.contains(#""by":61002"#), "\(read.output)\(read.errors)")
            let many = (1...500).map { _ in "APPEND note-2 \(Self.event)\n" }.joined()
            let piped = try remote.storectl("pipe", as: laptop, input: many)
            expect(piped.exit == .code(0), "\(piped.errors)")
            let all = try remote.storectl("--json", "pipe", as: laptop, input: "COUNT events/note-2\n")
            expect(all.output.contains(#""count":500"#), "\(all.output)")
            let clients = try remote.storectl("--json", "pipe", as: laptop, input: "CLIENTS\n").output
            expect(clients.contains(#""certificate":"laptop","from":"127.0.0.1:"#), "\(clients)")
            expect(clients.contains(#""uid":61002,"pid":0,"role":"write""#), "\(clients)")
        }

        @Test func `a certificate has the role of its user and of that user's groups`() throws {
            let group = try require(getgrgid(1)).pointee
            let name = String(cString: group.gr_name)
            let remote = try RemoteDaemon(
                trust: ["reader=61001", "writer=61002", "boss=61003", "daemon=1", "a=b=61001"],
                options: [
                    "--allow", "61001=read", "--allow", "61002=write", "--allow", "61003=admin", "--allow",
                    "@\(name)=read",
                ])
            func may(_ name: String) throws -> String {
                let signed = try remote.authority.sign(name)
                return try ["PING", "APPEND note-1 \(Self.event)", "CHECKPOINT"].map { line in
                    try remote.storectl("pipe", as: signed, input: line + "\n").exit == .code(0) ? "+" : "-"
                }.joined()
            }
            expect(try may("reader") == "+--" && may("writer") == "++-" && may("boss") == "+++")
            expect(try may("daemon") == "+--" && may("a=b") == "+--")
        }

        @Test func `a certificate that trust does not name, and that of an authority that is not ours, get in nowhere`()
            throws
        {
            let remote = try RemoteDaemon(trust: ["laptop=\(geteuid())", "stranger=61009"])
            let (other, laptop) = (try TestAuthority("Others"), try remote.authority.sign("laptop"))
            let unknown = try remote.storectl("stats", as: remote.authority.sign("unknown"))
            expect(unknown.errors.contains(#"the certificate "unknown" stands for no user here"#), "\(unknown.errors)")
            expect(try remote.daemon.traces("denied certificate=unknown from=127.0.0.1:"))
            let roleless = try remote.storectl("stats", as: remote.authority.sign("stranger"))
            expect(roleless.errors.contains("uid 61009 may not connect here"), "\(roleless.errors)")
            let foreign = try remote.storectl("stats", as: other.sign("laptop"))
            expect(foreign.errors.contains("unknown ca"), "\(foreign.errors)")
            let without = try remote.storectl("stats", as: nil)
            expect(without.errors.contains("demands a certificate"), "\(without.errors)")
            expect(try remote.daemon.traces(#"the peer showed no certificate"#))
            let expired = try remote.storectl("stats", as: remote.authority.sign("laptop", days: -1))
            expect(
                expired.errors.contains("has expired, as the peer says: it was valid until 20"), "\(expired.errors)")
            let misled = try remote.storectl("stats", as: laptop, authority: other)
            expect(misled.errors.contains("is not accepted"), "\(misled.errors)")
            expect(try remote.storectl("stats", as: laptop).exit == .code(0))
            let figures = try remote.daemon.client().rows("METRICS").joined()
            expect(figures.contains(#"storykeep_connections_refused_total{reason=\"insecure\"} 4"#), "\(figures)")
        }

        @Test func `without trust no certificate gets in, and the socket serves as ever`() throws {
            let remote = try RemoteDaemon(trust: [])
            let laptop = try remote.storectl("stats", as: remote.authority.sign("laptop"))
            expect(laptop.errors.contains("stands for no user here"))
            expect(try remote.daemon.client().ask("PING").hasPrefix("+"))
        }

        @Test func `files are read again when they change, and a wrong one changes nothing`() throws {
            let folder = try Scratch()
            let authority = try TestAuthority.shared()
            let live = TestAuthority.Signed(certificate: folder.place("live.pem"), key: folder.place("live.key"))
            func put(_ signed: TestAuthority.Signed) throws {
                try Files.write(Files.text(signed.certificate), to: live.certificate)
                try Files.write(Files.text(signed.key), to: live.key)
            }
            try put(authority.sign("first"))
            let remote = try RemoteDaemon(certificate: live)
            let laptop = try authority.sign("laptop")
            expect(try remote.daemon.traces(" open-secret file=\(live.key) mode=644 "))
            try put(authority.sign("second", for: "DNS:elsewhere"))
            expect(try remote.daemon.traces("certificate-read certificate=second"))
            let refused = try remote.storectl("stats", as: laptop)
            expect(
                refused.errors.contains("IP address mismatch"), "the new one is for another host: \(refused.errors)")
            try Files.write("nothing", to: live.key)
            expect(
                try remote.daemon.traces("certificate-not-read error=\"certificate-key: \(live.key) has no private key")
            )
            let check = try remote.daemon.storectl("check", "--warning", "ping=30", "--critical", "ping=60")
            expect(
                check.exit == .code(1) && check.output.hasPrefix("STORYKEEP WARNING - certificate-not-read, "),
                "\(check.output)")
            try put(authority.sign("third"))
            expect(try remote.daemon.traces("certificate-read certificate=third"))
            expect(try remote.storectl("stats", as: laptop).exit == .code(0))
        }

        @Test func `a connection ends where its authority is taken away, and that of another authority goes on`()
            throws
        {
            let (folder, ours, theirs) = (try Scratch(), try TestAuthority("Ours"), try TestAuthority("Theirs"))
            let (file, store) = (folder.place("authority.pem"), try ours.sign("store"))
            try Files.write(Files.text(ours.file) + Files.text(theirs.file), to: file)
            let daemon = try RunningDaemon(options: [
                "--listen", "127.0.0.1:0", "--certificate", store.certificate, "--certificate-key", store.key,
                "--authority", file, "--trust", "laptop=\(geteuid())", "--trust", "phone=\(geteuid())",
            ])
            let port = try require(daemon.trace.firstMatch(of: /listening address=127\.0\.0\.1:([0-9]+)/)?.1)
            func tail(_ signed: TestAuthority.Signed) throws -> Program {
                let output = folder.place("tail")
                return try Program(
                    [
                        Program.path("storectl"), "--json", "--socket", "tls://127.0.0.1:\(port)", "tail",
                        "--reconnect", "0",
                    ],
                    environment: [
                        "STORED_AUTHORITY=\(ours.file)", "STORED_CERTIFICATE=\(signed.certificate)",
                        "STORED_CERTIFICATE_KEY=\(signed.key)",
                    ], output: output, errors: output)
            }
            let (laptop, phone) = (try tail(ours.sign("laptop")), try tail(theirs.sign("phone")))
            let client = try daemon.client()
            try until("both follow") { try client.ask("STATS").contains(#""subscriptions":{"count":2"#) }
            try Files.write(Files.text(theirs.file), to: file)
            expect(try daemon.traces("certificate-ended certificate=laptop from=127.0.0.1:"))
            expect(try laptop.wait() != .code(0))
            expect(!daemon.trace.contains("certificate-ended certificate=phone") && phone.poll() == nil)
            withExtendedLifetime(phone) {}
        }

        @Test func `a file that cannot be used, and a port that is taken, end the start with a sentence`() throws {
            let signed = try TestAuthority.shared().sign("store")
            func refusal(_ change: (String, String), check: Bool = false) throws -> String {
                var settings = [
                    "listen": "127.0.0.1:0", "certificate": signed.certificate, "certificate-key": signed.key,
                    "authority": try TestAuthority.shared().file,
                ]
                settings[change.0] = change.1
                let daemon = try RunningDaemon(
                    options: settings.flatMap { ["--\($0.key)", $0.value] } + (check ? ["--check"] : []),
                    isStarted: false)
                try daemon.launch()
                expect(try daemon.wait() == .code(2), "\(daemon.trace)")
                return daemon.trace
            }
            for check in [false, true] {
                let missing = try refusal(("certificate", "/none"), check: check)
                expect(missing.contains("certificate: /none cannot be read: No such file"), "\(missing)")
            }
            let other = try TestAuthority.shared().sign("other")
            let mixed = try refusal(("certificate-key", other.key))
            expect(mixed.contains("certificate-key: the key in \(other.key) does not belong to"), "\(mixed)")
            expect(try refusal(("authority", other.key)).contains("authority: \(other.key) has no certificate of an"))
            let running = try RemoteDaemon()
            let taken = try refusal(("listen", "127.0.0.1:\(running.port)"))
            expect(
                taken.contains("listen: 127.0.0.1:\(running.port) cannot be listened at: Address already"), "\(taken)")
            expect(try refusal(("listen", "no.such.host.invalid:1")).contains("no.such.host.invalid:1 cannot be"))
        }

        @Test func `peers that never end their handshake, or speak no TLS, keep nobody out`() throws {
            let remote = try RemoteDaemon()
            let laptop = try remote.authority.sign("laptop")
            // Far more than may be under way together: each new one takes the place of one that says nothing.
            let silent = try (0..<560).map { _ in try PlainConnection(remote.port) }
            expect(try remote.storectl("--timeout", "10", "stats", as: laptop).exit == .code(0))
            expect(try remote.daemon.traces("silent from=127.0.0.1:"))
            for connection in silent.prefix(100) { connection.send([22, 3, 1, 2, 0, 1]) }
            for _ in 0..<20 {
                let garbage = try PlainConnection(remote.port)
                garbage.send((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 80) })
            }
            let client = try remote.daemon.client()
            for _ in 0..<100 { expect(try client.ask("PING").hasPrefix("+")) }
            expect(try remote.storectl("stats", as: laptop).exit == .code(0))
            // Each is closed by the daemon after a while.
            for connection in silent { connection.awaitEnd() }
            expect(try remote.storectl("stats", as: laptop).exit == .code(0))
            expect(try remote.daemon.stop() == .code(0))
        }

        @Test func `clients of other machines count among the connections, the last of which is for an admin`() throws {
            let remote = try RemoteDaemon(
                trust: ["guest=61002", "boss=61003"],
                options: ["--allow", "61002=write", "--allow", "61003=admin", "--connections", "2"])
            let (guest, boss) = (try remote.authority.sign("guest"), try remote.authority.sign("boss"))
            let local = try remote.daemon.client()
            expect(try local.ask("APPEND note-1 \(Self.event)").hasPrefix("+"))
            local.hangUp()
            let (output, errors) = (remote.daemon.folder.place("tail"), remote.daemon.folder.place("tail-errors"))
            var tail: Program?
            try until("a guest follows") {
                // It is refused, and ends, where it comes before the daemon noticed that the local client has gone.
                if tail?.poll() != nil { tail = nil }
                tail =
                    try tail
                    ?? Program(
                        [Program.path("storectl"), "--json", "--socket", remote.url, "tail", "--from", "1"],
                        environment: remote.environment(guest), output: output, errors: errors)
                return Files.text(output).contains("note-1")
            }
            let refused = try remote.storectl("stats", as: guest)
            expect(refused.errors.contains("busy"), "\(refused.errors)")
            let stats = try remote.storectl("--json", "stats", as: boss)
            expect(stats.output.contains(#""connections":2"#), "\(stats.output)\(stats.errors)")
            withExtendedLifetime(tail) {}
        }

        @Test func `the daemon that stops tells clients of other machines`() throws {
            let remote = try RemoteDaemon()
            let laptop = try remote.authority.sign("laptop")
            let (output, errors) = (remote.daemon.folder.place("tail"), remote.daemon.folder.place("tail-errors"))
            let tail = try Program(
                [Program.path("storectl"), "--json", "--socket", remote.url, "tail", "--reconnect", "0"],
                environment: remote.environment(laptop), output: output, errors: errors)
            let client = try remote.daemon.client()
            try until("the subscription is there") { try client.ask("STATS").contains(#""subscriptions":{"count":1"#) }
            expect(try client.ask("APPEND note-1 \(Self.event)").hasPrefix("+"))
            try until("the event comes") { Files.text(output).contains("note-1") }
            expect(try remote.daemon.stop() == .code(0))
            expect(try tail.wait() == .code(3), "\(Files.text(errors))")
        }
    }
}
