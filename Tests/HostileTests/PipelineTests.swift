import Glibc
import StoryCore
import TestSupport
import Testing

extension HostileTests {
    /// Clients that send much before they read, in pieces cut anywhere, and clients that go away meanwhile.
    @Suite struct PipelineTests {
        /// A daemon with events of a kilobyte, so many that a `READ` is answered in several steps.
        private static func filled() throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 0..<40 {
                expect(try client.ask(Load.append(to: "note-\(number % 5)", count: 50, size: 1_000)).hasPrefix("+"))
            }
            return daemon
        }

        private static func line(_ size: Int) -> [UInt8] {
            Array(#"APPEND big-1 {"type":"A","data":""#.utf8) + [UInt8](repeating: 0x78, count: size)
                + Array("\"}\n".utf8)
        }

        @Test func `a READ before long lines that are cut anywhere, and each is answered in its turn`() throws {
            let daemon = try Self.filled()
            let canary = try Canary(daemon)
            var random = SplitMix64(seed: HostileTests.scale.seed)
            var appended = 0
            for _ in 0..<HostileTests.scale.of(200, long: 5_000) {
                let client = try daemon.client()
                var bytes = Array("READ events limit=\(random.pick(200, 1_000, 2_000))\n".utf8)
                let count = random.pick(1, 1, 3)
                for _ in 0..<count {
                    bytes += Self.line(Int.random(in: 65_536...1_000_000, using: &random))
                    if random.oneIn(3) { bytes += Array("READ events limit=500\n".utf8) }
                }
                let lines = bytes.split(separator: 0x0A).count
                let cut = Int.random(in: 1..<bytes.count, using: &random)
                let pause = random.pick(0, 0, 500, 3_000)
                let sender = client.sendBeside([Array(bytes[..<cut]), Array(bytes[cut...])], pause: UInt32(pause))
                for _ in 0..<lines { expect(try client.final().hasPrefix("+")) }
                try sender.join()
                appended += count
                client.hangUp()
            }
            expect(try daemon.client().ask("READ events/big-1 from=\(appended) limit=1").number("count") == 1)
            try canary.end("\(appended) long lines behind READ")
            expect(try daemon.stop() == .code(0))
        }

        @Test func `clients that have gone leave soon, also while nothing is read from them`() throws {
            let daemon = try Self.filled()
            let before = try daemon.client().ask("STATS").number("connections") ?? 0
            var clients = try crowd(HostileTests.scale.of(60, long: 600), of: daemon)
            let long = Array(Self.line(400_000).prefix(190_000))
            for (number, client) in clients.enumerated() {
                switch number % 4 {
                case 0, 1:
                    // The answer is read, and the long line behind it never finished.
                    client.sendWhatFits(Array("READ events limit=2000\n".utf8) + long)
                    expect(try client.final().hasPrefix("+"))
                case 2: client.sendWhatFits(Array("READ events limit=2000\nVERIFY\n".utf8) + long)
                default: client.sendWhatFits(Array(repeatElement(Array("READ events\n".utf8), count: 20_000).joined()))
                }
            }
            usleep(300_000)
            for client in clients { client.hangUp() }
            clients = []
            try until("they have left") { try daemon.client().ask("STATS").number("connections") == before }
            expect(try daemon.stop() == .code(0))
        }
    }
}
