import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// The system has no descriptors or no memory to give, or the disk stands still.
    @Suite struct ScarcityTests {
        @Test(.enabled(if: Faults.library != nil))
        func `clients that the system has no descriptor for wait, and that is told once`() throws {
            let scratch = try Scratch()
            let faults = try Faults(scratch.place("faults"))
            let daemon = try RunningDaemon(environment: faults.environment(root: scratch.path, tick: 10))
            faults.arm([FaultRule(kinds: .accept, count: 20, action: .fail, value: UInt64(EMFILE))])
            expect(try daemon.client().ask("PING") == #"+ {"position":0}"#)
            expect(faults.struck(0) == 20)
            expect(try daemon.traces("not-accepting"))
            let told = daemon.trace.split(separator: "\n").filter { $0.contains("not-accepting") }
            expect(told.count == 1 && told[0].contains("Too many open files"), "\(daemon.trace)")
            expect(try daemon.stop() == .code(0))
        }

        @Test(.enabled(if: Faults.library != nil))
        func `work that finds no descriptor is refused with the reason, and the store goes on`() throws {
            let scratch = try Scratch(in: Scratch.memory)
            let faults = try Faults(scratch.place("faults"))
            let daemon = try RunningDaemon(
                data: scratch.place("data"), environment: faults.environment(root: scratch.path, tick: 10))
            let client = try daemon.client()
            expect(try client.ask(Request.user("a").line).hasPrefix("+"))
            faults.arm([FaultRule(kinds: [.open, .create], count: .max / 2, action: .fail, value: UInt64(EMFILE))])
            let refused = try client.ask("BACKUP \"\(scratch.path)/copy\"")
            expect(refused.hasPrefix("-") && refused.contains("Too many open files"), "\(refused)")
            expect(try client.ask(Request.user("b").line).hasPrefix("+"))
            expect(try client.ask("CHECKPOINT").hasPrefix("+"))
            faults.disarm()
            expect(try client.ask("BACKUP \"\(scratch.path)/copy\"").hasPrefix("+"))
            client.hangUp()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
        }

        @Test(.enabled(if: Faults.library != nil))
        func `while a disk stands still, a check says that writes wait`() throws {
            let scratch = try Scratch()
            let faults = try Faults(scratch.place("faults"))
            let daemon = try RunningDaemon(
                data: scratch.place("data"), environment: faults.environment(root: scratch.path, tick: 10))
            // With more than one client, commits are made beside the loop.
            let clients = try (0..<3).map { _ in try daemon.client() }
            expect(try clients[0].ask(Request.user("a").line).hasPrefix("+"))
            let hour: UInt64 = 3_600_000_000
            faults.arm([
                FaultRule(kinds: [.write, .sync], count: .max / 2, action: .delay, value: hour, path: "log.journal")
            ])
            clients[0].send(Request.user("b").line)
            var told = ""
            try until("the check is critical") {
                let check = try daemon.storectl("check", "--warning", "ping=30", "--critical", "ping=60")
                told = check.output
                return check.exit == .code(2)
            }
            expect(told.hasPrefix("STORYKEEP CRITICAL - writes-wait, position 1, "), "\(told)")
            try daemon.kill()
        }

        @Test func `with few descriptors it says so, or serves fewer`() throws {
            var (served, refused) = (0, 0)
            for limit in DiskFaultTests.isLong ? Array(4...100) : [4, 5, 6, 16, 24, 70] {
                let daemon = try RunningDaemon(command: ["prlimit", "--nofile=\(limit):\(limit)"], isStarted: false)
                try daemon.launch()
                guard let client = try Self.greeted(daemon) else {
                    expect(try daemon.wait() == .code(2), "\(limit): \(daemon.trace)")
                    expect(
                        daemon.trace.hasPrefix("stored: ") || daemon.trace.contains("\nstored: "),
                        "\(limit): \(daemon.trace)")
                    refused += 1
                    continue
                }
                expect(daemon.trace.contains("fewer-connections"), "\(limit): \(daemon.trace)")
                expect(try client.ask(Request.user("a").line).hasPrefix("+"))
                _ = try client.ask("BACKUP \"\(daemon.folder.place("copy"))\"")
                expect(try client.ask("CHECKPOINT").hasPrefix("+"), "\(limit): \(daemon.trace)")
                client.hangUp()
                expect(try daemon.stop() == .code(0), "\(limit): \(daemon.trace)")
                served += 1
            }
            print("few descriptors: \(served) served, \(refused) refused")
            expect(served > 0)
        }

        /// Memory that cannot be had ends a Swift program by a trap; what was acknowledged is there nevertheless.
        @Test func `out of memory it loses nothing that it acknowledged`() throws {
            var ends: [String: Int] = [:]
            for megabytes in DiskFaultTests.isLong ? Array(stride(from: 3_110, to: 3_250, by: 5)) : [256, 3_140, 3_160]
            {
                let daemon = try RunningDaemon(command: ["prlimit", "--as=\(megabytes << 20)"], isStarted: false)
                try daemon.launch()
                var ledger = Ledger()
                var how = "refused"
                if let client = try Self.greeted(daemon) {
                    how = "served"
                    if !Self.fill(client, daemon, &ledger) { how = "ended while serving" }
                }
                ends[how, default: 0] += 1
                if how == "served" { try daemon.kill() } else { _ = try daemon.wait() }
                if how == "refused", daemon.exit == .code(2) {
                    expect(daemon.trace.contains("stored: "), "\(daemon.trace)")
                }
                let unlimited = try RunningDaemon(data: daemon.data)
                let complaints = try ledger.complaints(unlimited.client())
                expect(complaints.isEmpty, "\(megabytes) MiB: \(complaints.prefix(3)) \(daemon.trace.suffix(500))")
                expect(try unlimited.stop() == .code(0))
            }
            print(
                "little memory:",
                ends.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        }

        /// The first client, once it is greeted; nil where the daemon ended.
        private static func greeted(_ daemon: RunningDaemon) throws -> LineSocket? {
            var client: LineSocket?
            try until("it greets or ends") {
                if let socket = try? LineSocket(daemon.socket), try socket.nextLine() != nil { client = socket }
                return client != nil || daemon.exit != nil
            }
            return client
        }

        /// Writes much, and asks for it all at once; false where the daemon ends of it.
        private static func fill(_ client: LineSocket, _ daemon: RunningDaemon, _ ledger: inout Ledger) -> Bool {
            let readers = (0..<20).compactMap { _ in try? daemon.client() }
            for number in 0..<60 {
                let request = Request.append("k\(number)", to: "note-\(number)", count: 10, size: 40_000)
                ledger.writes.append(Ledger.Write(key: "k\(number)", count: 10))
                for reader in readers { reader.send("READ events") }
                client.send(request.line)
                guard let line = try? client.final() else { return false }
                if line.hasPrefix("-") { ledger.writes[number].outcome = .refused(line) }
                if line.hasPrefix("+"), let position = line.number("position") {
                    ledger.writes[number].outcome = .acknowledged(position)
                }
            }
            return true
        }
    }
}
