import Foundation
import Glibc
import StoryCore
import TestSupport
import Testing

extension HostileTests {
    /// As many clients as there may be, each of which makes the daemon keep as much as it can.
    @Suite struct KeptMemoryTests {
        private static let clients = HostileTests.scale.of(400, long: 1_023)
        /// What is kept for all of them, and what the process may grow by.
        private static let (memory, bound) = HostileTests.scale.isLong ? (64 << 20, 128 << 20) : (24 << 20, 64 << 20)

        private static func started(memory: Int = memory) throws -> RunningDaemon {
            try RunningDaemon(options: ["--memory", "\(memory)", "--idle", "5"])
        }

        /// Stories of four kilobytes and events of one.
        private static func fill(_ daemon: RunningDaemon) throws {
            let client = try daemon.client()
            expect(
                try client.ask(#"POST users {"id":"u","name":"N","email":"e@x.org","prefecture":1}"#).hasPrefix("+"))
            let text = String(repeating: "m", count: 4_000)
            let story = #"POST stories {"title":"T","message":"\#(text)","sender":"u","recipient":"u"}"# + "\n"
            let sender = client.sendBeside(Array(String(repeating: story, count: 1_000).utf8))
            for _ in 0..<1_000 { expect(try client.line().hasPrefix("+")) }
            try sender.join()
            for number in 0..<80 {
                expect(try client.ask(Load.append(to: "note-\(number)", count: 50, size: 1_000)).hasPrefix("+"))
            }
        }

        /// Samples the memory of the daemon while the clients send what fits, some times over.
        private static func greatest(_ daemon: RunningDaemon, _ clients: [LineSocket], _ lines: [UInt8]) -> Int {
            var greatest = 0
            for _ in 0..<HostileTests.scale.of(10, long: 30) {
                for (number, client) in clients.enumerated() {
                    client.sendWhatFits(lines)
                    if number % 50 == 0 { greatest = max(greatest, daemon.anonymousMemory) }
                }
                usleep(50_000)
                greatest = max(greatest, daemon.anonymousMemory)
            }
            return greatest
        }

        private static let types = (0..<64).map { String(repeating: "t", count: 61) + "\(100 + $0)" }

        private static let worst: [(name: String, lines: [UInt8])] = [
            (
                "subscriptions with long filters",
                Array(
                    repeatElement("SUBSCRIBE events types=\(types.joined(separator: ","))\n", count: 100).joined().utf8)
            ),
            ("followers of lists", Array(repeatElement("SUBSCRIBE stories\n", count: 1_000).joined().utf8)),
            ("unread events", Array(repeatElement("READ events limit=4000\n", count: 1_000).joined().utf8)),
            ("unread pages", Array(repeatElement("LIST stories limit=1000\n", count: 1_000).joined().utf8)),
            ("half lines", Array("GET users/".utf8) + [UInt8](repeating: 0x78, count: 1_000_000)),
        ]

        /// An account that is never spent is as none.
        @Test(arguments: [(0, 60), (2, 400)]) func `without the account the same clients go over the bound`(
            _ number: Int, _ count: Int
        ) throws {
            let daemon = try Self.started(memory: 1 << 40)
            try Self.fill(daemon)
            let before = daemon.anonymousMemory
            let clients = try crowd(count, of: daemon)
            try until("memory grows by more than 64 MiB") {
                for client in clients { client.sendWhatFits(Self.worst[number].lines) }
                usleep(20_000)
                return daemon.anonymousMemory - before > 64 << 20
            }
            for client in clients { client.hangUp() }
            expect(try daemon.stop() == .code(0))
        }

        @Test(arguments: 0..<5) func `all clients at their worst stay within the account`(_ number: Int) throws {
            let (name, lines) = Self.worst[number]
            let daemon = try Self.started()
            try Self.fill(daemon)
            let canary = try Canary(daemon)
            let before = daemon.anonymousMemory
            var clients = try crowd(Self.clients - 3, of: daemon)
            let writer = try daemon.client()
            let grown = Self.greatest(daemon, clients, lines) - before
            print("hostile: \(clients.count) clients, \(name): memory grew by \(grown >> 20) MiB")
            expect(grown < Self.bound, "\(name): memory grew by \(grown >> 20) MiB")
            expect(try writer.ask(#"APPEND note-1 {"type":"A","data":1}"#).hasPrefix("+"), "writes go on")
            try canary.end(name)
            for client in clients { client.hangUp() }
            clients = []
            try until("everything is given back") {
                let stats = try writer.ask("STATS")
                return (stats.number("clients") ?? .max) < 1 << 20
            }
            expect(try writer.ask("SUBSCRIBE stories").hasPrefix("+"))
            expect(try daemon.stop() == .code(0))
        }
    }
}
