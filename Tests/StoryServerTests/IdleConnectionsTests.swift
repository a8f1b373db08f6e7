import LoopSupport
import StoryCore
import TestSupport
import Testing

/// Connections that take up room and do nothing.
struct IdleConnectionsTests {
    @Test func `a line that comes byte by byte is not finished in time either`() {
        let bench = LoopBench()
        bench.connected("slow")
        for _ in 0..<Limits().idle - 2 {
            bench.receive("P", from: "slow")
            bench.tick(10)
        }
        expect(!bench.isFinished("slow") && bench.hear("slow").isEmpty)
        for _ in 0..<4 where !bench.isFinished("slow") {
            bench.receive("P", from: "slow")
            bench.tick(10)
        }
        expect(bench.hear("slow") == [#"* {"idle":30,"position":0}"#])
        expect(bench.isFinished("slow"))
    }

    @Test func `who finishes a line now and then may begin another one each time`() {
        let bench = LoopBench()
        bench.connected("client")
        bench.receive("PI", from: "client")
        for _ in 0..<3 {
            bench.tick(10 * (Limits().idle - 2))
            bench.receive("NG\nPI", from: "client")
            bench.tick(20)
            expect(bench.hear("client") == [#"+ {"position":0}"#])
        }
        expect(!bench.isFinished("client"))
    }
}
