@testable import StoryServer
import Testing

struct CommitGatheringTests {
    /// Whether it waits, at one look after the other.
    private func answers(_ looks: [(events: UInt64, at: UInt64)], after duration: UInt64 = 2_000_000) -> [Bool] {
        times(looks, after: duration).map { $0 > 0 }
    }

    private func times(_ looks: [(events: UInt64, at: UInt64)], after duration: UInt64 = 2_000_000) -> [UInt64] {
        var gathering = CommitGathering()
        if duration > 0 { gathering.slowCommitEnded(events: 50, duration: duration, at: 1_000) }
        return looks.map { gathering.waitingTime(with: $0.events, at: $0.at) }
    }

    @Test func `nobody is waited for before a slow commit ended`() {
        #expect(answers([(1, 0)], after: 0) == [false])
    }

    @Test func `the next commit waits until as many events are there`() {
        #expect(answers([(49, 1_000), (50, 1_000)]) == [true, false])
    }

    @Test func `it waits while events keep coming, and a quarter of a commit's time for the next one`() {
        #expect(answers([(1, 200_000), (1, 699_999), (1, 700_000)]) == [true, true, false])
        #expect(answers([(1, 200_000), (2, 699_999), (2, 1_199_998), (2, 1_199_999)]) == [true, true, true, false])
    }

    @Test func `it says when to look again, which is no later than the end of all waiting`() {
        #expect(times([(1, 200_000), (1, 300_000), (2, 400_000)]) == [500_000, 400_000, 500_000])
        #expect(times([(1, 1_900_000)]) == [101_000])
    }

    @Test func `it never waits longer than a commit takes`() {
        let looks = (0..<49).map { (events: UInt64($0), at: 1_000 + UInt64($0) * 50_000) }
        #expect(answers(looks).lastIndex(of: true) == 39)
    }
}
