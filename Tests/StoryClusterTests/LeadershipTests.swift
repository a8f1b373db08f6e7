import StoryCore
import Testing

@testable import StoryCluster

/// The entries that a leader keeps in the engine for nodes that are away.
struct LeadershipTests {
    @Test func `writes wait where more than the tail cannot be removed, and the last entry does not count`() {
        var settings = ReplicaSettings(log: "main", node: "n1", address: "n1", version: "1", run: "1")
        settings.tail = 100
        var term = Leadership(Term(9), lease: 1, seconds: 3, settings, LogKeys(log: "main"), at: 0)
        term.wrote(entry(1, bytes: 1_000))
        #expect(!term.isTailFull)
        term.wrote(entry(2, bytes: 1))
        #expect(term.isTailFull)
    }

    private func entry(_ first: UInt64, bytes: Int) -> EntryHead {
        EntryHead(
            first: Position(first), count: 1, previous: 0, bytes: bytes, digest: EntryHead.Digest(low: 0, high: 0))
    }
}
