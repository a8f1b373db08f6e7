import Glibc
import TestSupport
import Testing

extension HostileTests {
    /// Readers that take little or nothing, and questions that are a lot of work.
    @Suite struct SlowTests {
        /// Users u1 and u2, messages of which nobody saw one, and events of the users' own.
        private static func filled(messages: Int, events: Int) throws -> RunningDaemon {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for user in ["u1", "u2"] {
                let form = #"{"id":"\#(user)","name":"N","email":"\#(user)@x.org","prefecture":13}"#
                expect(try client.ask("POST users \(form)").hasPrefix("+"))
            }
            let message = #"POST messages {"text":"T","sender":"u1","recipient":"u2"}"# + "\n"
            let sender = client.sendBeside(Array(String(repeating: message, count: messages).utf8))
            for _ in 0..<messages { expect(try client.line().hasPrefix("+")) }
            try sender.join()
            for number in 0..<events / 500 {
                expect(try client.ask(Load.append(to: "note-\(number % 20)", count: 500, size: 100)).hasPrefix("+"))
            }
            return daemon
        }

        @Test func `the greatest questions and a thousand subscriptions that match nothing hold nobody up`() throws {
            let daemon = try Self.filled(
                messages: HostileTests.scale.of(4_000, long: 50_000),
                events: HostileTests.scale.of(10_000, long: 200_000))
            let canary = try Canary(daemon)
            let follower = try daemon.client()
            follower.send((0..<1_000).map { "SUBSCRIBE events from=1 types=None\($0 % 9)" }.joined(separator: "\n"))
            let questions = [
                "COUNT messages between=u1,u2 sender=u1 unseen=true", "LIST messages unseen=false limit=1",
                "COUNT messages sender=u1 recipient=u2 unseen=true", "READ events types=None limit=10000",
                "READ events order=desc", "STREAMS", "LIST messages sender=u1 recipient=u2 limit=500",
            ]
            let began = ContinuousClock.now
            var asked = 0
            let heavy = try questions.map { _ in try daemon.client() }
            while ContinuousClock.now - began < .seconds(HostileTests.scale.of(2, long: 30)) {
                for (client, question) in zip(heavy, questions) { client.send(question) }
                for client in heavy { expect(try client.final().hasPrefix("+")) }
                asked += heavy.count
            }
            for _ in 0..<1_000 { expect(try follower.final().hasPrefix("+")) }
            try canary.end("\(asked) great questions, and 1,000 subscriptions to nothing")
        }

        @Test func `subscribers on connections of their own that never read cost what is on its way to them`() throws {
            let count = HostileTests.scale.of(200, long: 900)
            let daemon = try RunningDaemon()
            let (canary, writer) = (try Canary(daemon), try daemon.client())
            let followers = try crowd(count, of: daemon)
            for follower in followers { follower.send("SUBSCRIBE events from=1") }
            let before = daemon.anonymousMemory
            var greatest = 0
            let events = HostileTests.scale.of(6_000, long: 50_000)
            for _ in 0..<events / 20 {
                expect(try writer.ask(Load.append(to: "note-1", count: 20, size: 1_000)).hasPrefix("+"))
                greatest = max(greatest, daemon.anonymousMemory)
            }
            // 256 KiB are prepared ahead of a reader, and storage grows by doubling.
            let bound = count * 640 << 10 + 48 << 20
            print("hostile: \(count) subscribers that never read: memory grew by \((greatest - before) >> 20) MiB")
            expect(greatest - before < bound, "memory grew by \((greatest - before) >> 10) KiB")
            try canary.end("\(count) subscribers that never read, and \(events) events")
            for follower in [followers[0], followers[count / 2]] {
                var next: UInt64 = 1
                while next <= events {
                    let line = try follower.line()
                    guard line.hasPrefix(">1 {\"position\":") else { continue }
                    expect(line.number("position") == next)
                    next += 1
                }
            }
        }

        @Test func `who takes a few bytes at a time gets the same bytes as everybody`() throws {
            let daemon = try RunningDaemon()
            let writer = try daemon.client()
            for number in 0..<30 {
                expect(try writer.ask(Load.append(to: "note-1", count: 20, size: 1_000 + number * 37)).hasPrefix("+"))
            }
            let canary = try Canary(daemon)
            func everything(_ pause: (Int) -> Int) throws -> [UInt8] {
                let client = try daemon.client()
                client.send("READ events limit=10000")
                client.endSending()
                var bytes: [UInt8] = []
                while true {
                    let part = try client.bytes(atMost: pause(bytes.count))
                    if part.isEmpty { return bytes }
                    bytes += part
                }
            }
            let whole = try everything { _ in 65_536 }
            expect(whole.count > 600_000)
            var random = SplitMix64(seed: HostileTests.scale.seed)
            for _ in 0..<HostileTests.scale.of(3, long: 40) {
                let slow = try everything { _ in
                    if random.oneIn(20) { usleep(5_000) }
                    return .random(in: 1...4_000, using: &random)
                }
                expect(slow == whole, "seed \(HostileTests.scale.seed)")
            }
            try canary.end("slow readers")
        }

        @Test func `a daemon that is stopped and let go on, again and again, answers every request once`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            let count = HostileTests.scale.of(20_000, long: 500_000)
            let lines = (0..<count).map { "@\($0) APPEND note-1 {\"type\":\"A\",\"data\":\($0)}\n" }.joined()
            let sender = client.sendBeside(Array(lines.utf8))
            var (answered, stops) = (0, 0)
            while answered < count {
                if answered % 1_000 == 0 {
                    try daemon.pause()
                    usleep(1_000)
                    try daemon.resume()
                    stops += 1
                }
                let line = try client.line()
                guard line.hasPrefix("+@\(answered) "), line.number("position") == UInt64(answered + 1) else {
                    Issue.record("\(line) instead of answer \(answered)")
                    break
                }
                answered += 1
            }
            try sender.join()
            expect(answered == count && stops > 5)
        }
    }
}
