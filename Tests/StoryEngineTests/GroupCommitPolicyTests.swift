import StoryEngine
import TestSupport
import Testing

/// When the next commit begins, and on which thread, decision by decision.
struct GroupCommitPolicyTests {
    private typealias Decision = GroupCommitPolicy.Decision
    private typealias Situation = GroupCommitPolicy.Situation

    private let fresh = GroupCommitPolicy(bytesPerCommit: 1_000)

    /// A policy whose last commit was one of 50 events on the worker, ended at 1,000 ns.
    private func afterWorker(_ nanoseconds: UInt64 = 2_000_000) -> GroupCommitPolicy {
        var policy = fresh
        policy.workerCommitEnded(events: 50, nanoseconds: nanoseconds, at: 1_000)
        return policy
    }

    /// A policy after that many commits, each of the same duration.
    private func after(_ commits: Int, of nanoseconds: UInt64, _ before: GroupCommitPolicy? = nil) -> GroupCommitPolicy
    {
        var policy = before ?? fresh
        for _ in 0..<commits { policy.commitEnded(nanoseconds: nanoseconds) }
        return policy
    }

    /// The decisions on the events of two connections, one after the other.
    private func decisions(_ looks: [(events: UInt64, at: UInt64)], _ policy: GroupCommitPolicy) -> [Decision] {
        var policy = policy
        return looks.map { policy.decide(Situation(events: $0.events, bytes: 0, connections: 2), at: $0.at) }
    }

    private func decision(_ policy: GroupCommitPolicy, _ situation: Situation) -> Decision {
        var policy = policy
        return policy.decide(situation, at: 1_000)
    }

    // MARK: The thread

    @Test func `the loop runs the commits of one connection, the worker those of several`() {
        expect(
            [0, 1, 2, 1_024].map { decision(fresh, Situation(events: 1, bytes: 0, connections: $0)) }
                == [.commitInline, .commitInline, .commitOnWorker, .commitOnWorker])
    }

    @Test func `one slow commit is not enough for the worker, ten are, and thirty quick ones bring them back`() {
        let alone = Situation(events: 1, bytes: 0, connections: 1)
        var policy = after(100, of: 120_000)
        expect(decision(policy, alone) == .commitInline)
        policy = after(1, of: 1_200_000, policy)
        expect(decision(policy, alone) == .commitInline)
        policy = after(10, of: 2_000_000, policy)
        expect(decision(policy, alone) == .commitOnWorker)
        policy = after(30, of: 100_000, policy)
        expect(decision(policy, alone) == .commitInline)
    }

    @Test func `the longest commit counts as eight slow ones, and no more`() {
        expect(after(1, of: 1 << 60) == after(1, of: 2_400_000))
        expect(decision(after(1, of: 2_399_999), Situation(events: 1, bytes: 0, connections: 1)) == .commitInline)
        expect(decision(after(1, of: 2_400_000), Situation(events: 1, bytes: 0, connections: 1)) == .commitOnWorker)
    }

    // MARK: The loop's own commit

    @Test func `a commit of the loop waits for the turn that follows, until it has 1,024 events or is full`() {
        func alone(_ events: UInt64, _ bytes: Int, mayGather: Bool = true, isMore: Bool = true) -> Decision {
            decision(
                fresh,
                Situation(
                    events: events, bytes: bytes, connections: 1, mayGather: mayGather, isMoreAtHand: isMore))
        }
        expect(alone(1, 999) == .wait(nanoseconds: 0))
        expect(alone(1_023, 999) == .wait(nanoseconds: 0))
        expect(alone(1_024, 999) == .commitInline)
        expect(alone(1, 1_000) == .commitInline)
        expect(alone(1, 999, isMore: false) == .commitInline)
        expect(alone(1, 999, mayGather: false) == .commitInline)
    }

    @Test func `a commit of the worker does not wait for the turn that follows`() {
        expect(
            decision(fresh, Situation(events: 1, bytes: 0, connections: 2, isMoreAtHand: true)) == .commitOnWorker)
    }

    // MARK: The delay after a commit of the worker

    @Test func `nothing is waited for before a commit of the worker has ended`() {
        expect(decisions([(1, 0)], fresh) == [.commitOnWorker])
    }

    @Test func `the next commit waits until as many events are there`() {
        expect(
            decisions([(49, 1_000), (50, 1_000)], afterWorker()) == [.wait(nanoseconds: 500_000), .commitOnWorker])
    }

    @Test func `it waits while events keep coming, and a quarter of a commit's time for the next one`() {
        expect(
            decisions([(1, 200_000), (1, 300_000), (1, 699_999), (1, 700_000)], afterWorker())
                == [
                    .wait(nanoseconds: 500_000), .wait(nanoseconds: 400_000), .wait(nanoseconds: 1), .commitOnWorker,
                ])
        expect(
            decisions([(1, 200_000), (2, 699_999), (2, 1_199_998), (2, 1_199_999)], afterWorker())
                == [.wait(nanoseconds: 500_000), .wait(nanoseconds: 500_000), .wait(nanoseconds: 1), .commitOnWorker])
    }

    @Test func `it never waits longer than a commit takes`() {
        expect(
            decisions([(1, 1_900_000), (2, 2_000_999), (3, 2_001_000)], afterWorker())
                == [.wait(nanoseconds: 101_000), .wait(nanoseconds: 1), .commitOnWorker])
        let looks = (0..<49).map { (events: UInt64($0), at: 1_000 + UInt64($0) * 50_000) }
        expect(decisions(looks, afterWorker()).lastIndex { $0 != .commitOnWorker } == 39)
    }

    @Test func `after a commit that met a fault it waits no longer than after a slow one`() {
        expect(
            decisions([(1, 1_000)], afterWorker(100_000_000)) == decisions([(1, 1_000)], afterWorker(60_000_000_000)))
        expect(
            decisions([(1, 1_000), (1, 25_001_000)], afterWorker(60_000_000_000))
                == [.wait(nanoseconds: 25_000_000), .commitOnWorker])
    }

    @Test func `one connection with slow syncs waits likewise`() {
        let policy = after(10, of: 2_000_000, afterWorker())
        expect(
            decision(policy, Situation(events: 1, bytes: 0, connections: 1)) == .wait(nanoseconds: 500_000))
    }

    @Test func `a full commit waits for no more events, and none does where nothing may be gathered`() {
        expect(
            decision(afterWorker(), Situation(events: 1, bytes: 999, connections: 2)) == .wait(nanoseconds: 500_000))
        expect(decision(afterWorker(), Situation(events: 1, bytes: 1_000, connections: 2)) == .commitOnWorker)
        expect(
            decision(afterWorker(), Situation(events: 1, bytes: 0, connections: 2, mayGather: false))
                == .commitOnWorker)
    }

    // MARK: The journal's room

    @Test func `a commit without room in the journal waits for the flush, whatever else holds`() {
        func waiting(_ connections: Int, _ bytes: Int, mayGather: Bool) -> Situation {
            Situation(
                events: 1, bytes: bytes, connections: connections, mayGather: mayGather, isWaitingForFlush: true)
        }
        expect(decision(fresh, waiting(1, 0, mayGather: true)) == .wait(nanoseconds: 0))
        expect(decision(fresh, waiting(1, 1_000, mayGather: false)) == .wait(nanoseconds: 0))
        expect(decision(fresh, waiting(2, 0, mayGather: true)) == .wait(nanoseconds: 0))
        expect(decision(afterWorker(), waiting(2, 0, mayGather: true)) == .wait(nanoseconds: 500_000))
        expect(decision(afterWorker(), waiting(2, 0, mayGather: false)) == .wait(nanoseconds: 0))
    }
}
