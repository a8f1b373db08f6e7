import LoopSupport
import StoryCore
@testable import StoryServer
import Testing
import TestSupport

/// What waits for all who read nothing is bounded together, and nobody is kept from an answer by it.
struct SharedOutputTests {
    @Test func `the more waits for others, the less is prepared for each, and all of it comes in order`() {
        var limits = Limits()
        (limits.output, limits.memory, limits.leastOutput, limits.connections) = (400_000, 1_000_000, 4_000, 10)
        let bench = LoopBench(limits)
        let names = (1...8).map { "reader\($0)" }
        bench.connected("writer")
        for name in names { bench.connected(name) }
        let user = #"{"id":"u","name":"\#(String(repeating: "x", count: 40))","email":"e@x.org","prefecture":1}"#
        _ = bench.ask("POST users \(user)", from: "writer")
        for name in names {
            bench.setTaking(name, false)
            bench.receive((0..<1_000).map { "@\($0) GET users/u\n" }.joined(), from: name)
            bench.run()
        }
        let waiting = bench.transport.unsentTotal
        expect(waiting > 500_000, "the first have all of their answers, and each of the others something")
        expect(bench.server.kept.account < 1_100_000, "\(bench.server.kept.account) bytes")
        expect(bench.ask("PING", from: "writer").count == 1)
        for name in names.reversed() {
            bench.setTaking(name, true)
            bench.run()
            let tags = bench.hear(name).map { $0.split(separator: " ")[0] }
            let isInOrder = tags == (0..<1_000).map { "+@\($0)" }
            expect(isInOrder, "\(name): \(tags.count) answers, the first \(tags.first ?? "none")")
        }
        expect(bench.transport.unsentTotal == 0)
    }
}
