import StoryCore
import StoryLog
import Testing
import TestSupport

@testable import StoryServer

struct AppendedStreamsTests {
    @Test func `it holds every stream of the turn, and of the others hardly any`() throws {
        let bench = MemoryBench()
        var random = SplitMix64(seed: 9)
        let turn = AppendedStreams()
        try bench.append(40, &random)
        turn.turnEnded(at: bench.log.committed)
        for event in bench.events { #expect(turn.mayHold(event.stream, bench.log)) }
        let others = (0..<1_000).count { turn.mayHold("other-\($0)".stream, bench.log) }
        #expect(others < 10)
    }

    @Test func `the next turn begins where this one ended, and knows nothing of it`() throws {
        let bench = MemoryBench()
        var random = SplitMix64(seed: 1)
        let turn = AppendedStreams()
        try bench.append(10, &random)
        turn.turnEnded(at: bench.log.committed)
        #expect(turn.first == Position(1))
        turn.turnEnded(at: bench.log.committed)
        #expect(turn.first == Position(11))
        #expect(!turn.mayHold("note-1".stream, bench.log))
    }
}
