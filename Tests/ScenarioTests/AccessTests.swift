import Foundation
import Glibc
import TestSupport
import Testing

extension DaemonTests {
    /// Who may connect and what they may do, with other users' processes; they can be made by root alone.
    @Suite(.enabled(if: geteuid() == 0, "only root can connect as somebody else")) struct AccessTests {
        /// What a process of another user is told: its greeting, or why not, and the replies to some lines.
        private static func told(_ daemon: RunningDaemon, uid: Int, groups: String, _ lines: [String]) throws
            -> [String]
        {
            let script = #"""
                use IO::Socket::UNIX;
                my $s = IO::Socket::UNIX->new(Peer => shift) or do { print "cannot connect: $!\n"; exit };
                print scalar <$s>;
                foreach my $line (@ARGV) { print $s "$line\n"; my $reply = <$s>; last unless defined $reply; print $reply; }
                """#
            let output = daemon.folder.place("told-\(uid)-\(groups)")
            unlink(output)
            let who =
                ["setpriv", "--reuid=\(uid)", "--regid=\(uid)"] + [
                    groups.isEmpty ? "--clear-groups" : "--groups=\(groups)"
                ]
            let command = who + ["perl", "-e", script, daemon.socket] + lines
            _ = try Program(command, output: output, errors: output).wait()
            return Files.text(output).split(separator: "\n").map(String.init)
        }

        private static let lines = [
            "PING", #"APPEND note-1 {"type":"A","data":1}"#,
            #"DEFINE m check=true "from blank; n: number; on A { n = 1 }""#,
            #"DEFINE m "from blank; n: number; on A { n = 1 }""#, "CHECKPOINT",
        ]

        @Test func `each role may do what is its own, and who is not named cannot connect`() throws {
            let daemon = try RunningDaemon(options: [
                "--allow", "61001=read", "--allow", "61002=write", "--allow", "@61100=admin", "--allow", "@61101=read",
                "--allow", "61004=define", "--allow", "@61102=write,define",
            ])
            chmod(daemon.folder.path, 0o711)
            expect(Files.mode(daemon.socket) == 0o660)
            func may(_ uid: Int, _ groups: String = "") throws -> [String] {
                try Self.told(daemon, uid: uid, groups: groups, Self.lines).map { line in
                    line.contains("\"denied\"")
                        ? "denied"
                        : line.hasPrefix("*") ? "greeted" : String(line.prefix(line.hasPrefix("cannot") ? 17 : 1))
                }
            }
            expect(try may(61_001) == ["greeted", "+", "denied", "+", "denied", "denied"])
            expect(try may(61_002) == ["greeted", "+", "+", "+", "denied", "denied"])
            expect(try may(61_004) == ["greeted", "+", "denied", "+", "+", "denied"])
            expect(try may(61_003, "61102") == ["greeted", "+", "+", "+", "+", "denied"])
            expect(try may(61_003, "61100") == ["greeted", "+", "+", "+", "+", "+"])
            expect(try may(61_001, "61100,61101") == ["greeted", "+", "+", "+", "+", "+"])
            expect(try may(61_003, "61101") == ["greeted", "+", "denied", "+", "denied", "denied"])
            expect(try may(61_003) == ["cannot connect: P"], "the file admits the users of rules alone")
            expect(try Self.told(daemon, uid: 61_001, groups: "", []).first?.contains(#""role":"read""#) == true)
            let both = try Self.told(daemon, uid: 61_003, groups: "61102", ["CHECKPOINT"])
            expect(both.first?.contains(#""role":"write,define""#) == true)
            expect(both.last?.contains("CHECKPOINT needs the role admin; yours is write,define") == true)
            // Who wrote it is what the kernel says.
            expect(try daemon.storectl("--json", "read", "note-1").output.contains(#""by":61002"#))
        }

        @Test func `without a rule, or with rules for one group, the file lets nobody else in`() throws {
            let closed = try RunningDaemon()
            chmod(closed.folder.path, 0o711)
            expect(Files.mode(closed.socket) == 0o600)
            expect(try Self.told(closed, uid: 61_001, groups: "", []) == ["cannot connect: Permission denied"])
            let shared = try RunningDaemon(options: ["--allow", "@61100=write"])
            chmod(shared.folder.path, 0o711)
            expect(Files.mode(shared.socket) == 0o660)
            expect(try Self.told(shared, uid: 61_001, groups: "", []) == ["cannot connect: Permission denied"])
            expect(try Self.told(shared, uid: 61_001, groups: "61100", ["PING"]).count == 2)
        }
    }
}
