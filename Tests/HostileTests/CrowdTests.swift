import Foundation
import Glibc
import StoryCore
import TestSupport
import Testing

extension HostileTests {
    /// More clients than there is room for, and clients that only take up room.
    @Suite struct CrowdTests {
        @Test func `a thousand clients that connect while nobody accepts are all let in afterwards`() throws {
            let daemon = try RunningDaemon()
            let canary = try Canary(daemon)
            try allowFiles(1_300)
            for _ in 0..<HostileTests.scale.of(1, long: 10) {
                try daemon.pause()
                let clients = try (0..<1_000).map { _ in try LineSocket(daemon.socket) }
                try daemon.resume()
                for client in clients { expect(try client.line().hasPrefix("*")) }
                for client in clients { client.hangUp() }
                try until("they are gone") { try daemon.client().ask("STATS").number("connections") == 2 }
            }
            // Its wait holds the time for which the daemon was stopped.
            let waits = try canary.stop()
            print("hostile: 1,000 connects at once: canary \(waits)")
        }

        private static func daemon(connections: Int, idle: Int, _ options: [String] = []) throws -> RunningDaemon {
            var limits = Limits()
            limits.connections = connections
            return try RunningDaemon(limits: limits, options: ["--idle", "\(idle)"] + options)
        }

        @Test func `a line that is not finished in time ends its connection, and says so`() throws {
            let count = HostileTests.scale.of(40, long: 1_000)
            let daemon = try Self.daemon(connections: count + 2, idle: 2)
            let canary = try Canary(daemon)
            let follower = try daemon.client()
            follower.send("SUBSCRIBE events")
            for _ in 0..<2 { _ = try follower.line() }
            let clients = try crowd(count - 1, of: daemon)
            for client in clients { client.send(Array(#"APPEND note-1 {"type":"A","da"#.utf8)) }
            follower.send(Array("PI".utf8))
            for client in clients {
                expect(try client.line() == #"* {"idle":2,"position":0}"#)
                expect(try client.nextLine() == nil)
            }
            expect(try follower.line() == #">1 {"end":"idle","resume":1}"#)
            expect(try follower.line() == #"* {"idle":2,"position":0}"#)
            expect(try daemon.traces(" idle ended="))
            try canary.end("\(count) half lines")
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#, "nothing of them was carried out")
        }

        @Test func `hundreds of long lines take 64 MiB together, whether they are finished or not`() throws {
            let count = HostileTests.scale.of(160, long: 900)
            let line = Array("GET users/".utf8) + [UInt8](repeating: 0x78, count: 1_000_000)
            // Time enough for all of them to be finished, and time for none: then they are there all at once.
            for (idle, end) in [(600, [0x0A]), (2, [])] as [(Int, [UInt8])] {
                let daemon = try Self.daemon(connections: count + 2, idle: idle)
                let canary = try Canary(daemon)
                let before = daemon.anonymousMemory
                let clients = try crowd(count - 1, of: daemon)
                let senders = clients.map { $0.sendBeside(line + end) }
                var greatest = 0
                for _ in 0..<10 {
                    usleep(80_000)
                    greatest = max(greatest, daemon.anonymousMemory - before)
                }
                for client in clients {
                    let answer = try client.line()
                    expect(idle == 2 ? answer.hasPrefix(#"* {"idle":"#) : answer.text("code") == "invalid")
                    greatest = max(greatest, daemon.anonymousMemory - before)
                    client.hangUp()
                }
                for sender in senders { try sender.join() }
                print("hostile: \(count) long lines, \(idle) s each: memory grew by \(greatest >> 10) KiB")
                expect(idle != 2 || greatest < 80 << 20 + count * 200_000, "memory grew by \(greatest >> 10) KiB")
                try canary.end("\(count) long lines")
            }
        }

        @Test func `who finishes lines all the time stays, and where there is room, who asks for nothing`() throws {
            let daemon = try Self.daemon(connections: 100, idle: 2)
            let silent = try daemon.client()
            // On a busy machine the client itself may take longer for a line than the daemon waits.
            try until("lines are finished in time") { try Self.finishesLines(of: daemon) < .milliseconds(1_500) }
            expect(try silent.ask("PING") == #"+ {"position":0}"#)
        }

        /// Finishes lines for longer than a line may take, and returns the longest time that one of them took the client.
        private static func finishesLines(of daemon: RunningDaemon) throws -> Duration {
            let client = try daemon.client()
            let began = ContinuousClock.now
            var (last, longest) = (began, Duration.zero)
            // There is always half a line there, and never the same one.
            client.send(Array("PI".utf8))
            while ContinuousClock.now - began < .seconds(3) {
                usleep(20_000)
                client.send(Array("NG\nPI".utf8))
                let now = ContinuousClock.now
                (last, longest) = (now, max(longest, now - last))
                let line = try client.nextLine()
                guard longest < .milliseconds(1_500) else { break }
                expect(line == #"+ {"position":0}"#)
            }
            return longest
        }

        @Test func `where there is none, who did nothing longest makes way, and nobody else`() throws {
            let daemon = try Self.daemon(connections: 42, idle: 2)
            let canary = try Canary(daemon)
            let (follower, writer) = (try daemon.client(), try daemon.client())
            expect(try follower.ask("SUBSCRIBE events").hasPrefix("+"))
            for number in 0..<10 {
                expect(try writer.ask(Load.append(to: "note-\(number)", count: 20, size: 20_000)).hasPrefix("+"))
            }
            // What waits for it is never taken.
            let stuck = try daemon.client()
            stuck.send("READ events")
            let began = ContinuousClock.now
            let idle = try crowd(38, of: daemon)
            try until("somebody makes way") {
                usleep(200_000)
                expect(try writer.ask("PING").hasPrefix("+"), "who asks stays")
                return try LineSocket(daemon.socket).line().hasPrefix("*")
            }
            expect(ContinuousClock.now - began >= .milliseconds(1_900), "nobody makes way before the time")
            let first = try idle[0].line()
            expect(first == #"* {"idle":2,"position":200}"#)
            expect(try idle[37].ask("PING").hasPrefix("+"), "a few make way, not all")
            try canary.end("idle clients make way")
            while try !follower.line().contains(#""position":200,"#) {}
        }

        /// A process of another user that holds so many connections, and says what each was told.
        private static func holding(_ count: Int, _ daemon: RunningDaemon, uid: Int) throws -> (
            TestSupport.Program, String
        ) {
            let script = #"""
                use IO::Socket::UNIX; my ($path, $count) = @ARGV; my @held; $| = 1;
                for (1..$count) {
                    my $s = IO::Socket::UNIX->new(Peer => $path) or do { print "cannot connect: $!\n"; next };
                    print scalar <$s>; push @held, $s;
                }
                print "done\n"; sleep 1000;
                """#
            let said = daemon.folder.place("held-\(uid)")
            let command = [
                "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "perl", "-e", script, daemon.socket,
                "\(count)",
            ]
            let program = try Program(command, output: said, errors: said)
            try until("it holds them") { Files.text(said).hasSuffix("done\n") }
            return (program, Files.text(said))
        }

        @Test(.enabled(if: geteuid() == 0, "only root can connect as somebody else"))
        func `one connection is kept for who runs the daemon, whoever has all others`() throws {
            let daemon = try Self.daemon(connections: 10, idle: 30, ["--allow", "61001=write"])
            chmod(daemon.folder.path, 0o711)
            let (other, said) = try Self.holding(20, daemon, uid: 61_001)
            let lines = said.split(separator: "\n")
            expect(lines.count { $0.hasPrefix("*") } == 9)
            expect(lines.count { $0.contains("there are 9 connections already") } == 11)
            let owner = try daemon.client()
            expect(try owner.ask("CHECKPOINT").hasPrefix("+"))
            expect(try LineSocket(daemon.socket).line().text("code") == "busy", "one, not more")
            owner.hangUp()
            try until("it is kept again") { (try? daemon.client()) != nil }
            try other.kill()
        }

        @Test func `without descriptors it says so, keeps quiet, and serves those who are there`() throws {
            let began = ContinuousClock.now
            let daemon = try RunningDaemon(command: ["prlimit", "--nofile=100"])
            let (canary, writer) = (try Canary(daemon), try daemon.client())
            expect(try writer.ask(Load.append(to: "note-1", count: 20, size: 1_000)).hasPrefix("+"))
            let clients = try (0..<HostileTests.scale.of(200, long: 500)).map { _ in
                let client = try LineSocket(daemon.socket)
                client.send("PING")
                return client
            }
            let before = daemon.processorTime
            usleep(1_000_000)
            let busy = daemon.processorTime - before
            for number in 0..<20 {
                expect(try writer.ask(Load.append(to: "note-1", count: 20, size: 1_000)).hasPrefix("+"))
                expect(try writer.ask("CHECKPOINT").hasPrefix("+"), "checkpoint \(number)")
            }
            expect(try writer.ask("VERIFY").hasPrefix("+"))
            var (greeted, refused) = (0, 0)
            for client in clients {
                let line = try client.line()
                if line.hasPrefix("*") { greeted += 1 }
                if line.text("code") == "busy" { refused += 1 }
            }
            print(
                "hostile: without descriptors: \(greeted) let in, \(refused) told why not, busy for \(busy) in a second"
            )
            expect(greeted > 20 && greeted + refused == clients.count)
            expect(try daemon.traces("not-accepting reason=\"Too many open files\""), "\(daemon.trace)")
            // At most once at a moment and once with the count of its second, and at most so for each second.
            let seconds = Int((ContinuousClock.now - began).components.seconds)
            let lines = daemon.trace.split(separator: "\n").count { $0.contains("not-accepting") }
            expect(lines <= 2 * (seconds + 2), "\(lines) lines in \(seconds) s")
            expect(busy < .milliseconds(200), "it spins")
            try canary.end("no descriptors")
            expect(try daemon.stop() == .code(0))
        }
    }
}
