@testable import StoryServer
import Testing

struct CommitGatheringTests {
    @Test func `nobody is waited for before a slow commit ended`() {
        #expect(!CommitGathering().isWaiting(with: 1, at: 0))
    }

    @Test func `the next commit waits until as many events are there, or for a quarter of a commit's time`() {
        var gathering = CommitGathering()
        gathering.slowCommitEnded(events: 50, duration: 2_000_000, at: 1_000)
        #expect(gathering.isWaiting(with: 49, at: 1_000))
        #expect(!gathering.isWaiting(with: 50, at: 1_000))
        #expect(gathering.isWaiting(with: 1, at: 500_999))
        #expect(!gathering.isWaiting(with: 1, at: 501_000))
    }
}
