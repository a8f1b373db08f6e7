import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// An entry that a leader writes, for each row of the protocol's table of answers.
struct WritingTests {
    private let keys = LogKeys(log: "main")
    private let head = EntryHead(
        first: Position(5), count: 1, previous: 3, bytes: 4, digest: EntryHead.Digest(low: 1, high: 2))
    private let records: [UInt8] = [1, 2, 3, 4]
    private let header = OrderingHeader(cluster: 7, revision: 40)

    /// Answers the first try of an entry.
    private func end(_ answer: OrderingAnswer) -> Writing.Ended? {
        var calls = Calls(endpoints: 2)
        var writing = Writing(head, records: records, keys, term: Term(9), at: 0, &calls)
        return writing.answered(CallID(1), answer, at: 0, &calls)
    }

    private func refused(_ own: [OrderingKeyValue], firsts: [String]) -> OrderingAnswer {
        .transacted(
            succeeded: false,
            [
                .ranged(OrderingRanged([])), .ranged(OrderingRanged(own)),
                .ranged(OrderingRanged(firsts.map { OrderingKeyValue(key: $0, value: [], created: 1, changed: 1) })),
            ], header)
    }

    private func entry(_ term: Term) -> OrderingKeyValue {
        OrderingKeyValue(
            key: keys.entry(head.first), value: head.value(term: term, records: records), created: 1, changed: 1)
    }

    @Test func `a transaction compares the leader's key and the absence of the entry`() {
        var calls = Calls(endpoints: 1)
        _ = Writing(head, records: records, keys, term: Term(9), at: 0, &calls)
        guard case .call(CallID(1), .transaction(let transaction), endpoint: 0)? = calls.actions.first else {
            Issue.record("\(calls.actions)")
            return
        }
        expect(transaction.conditions == [.created(keys.leader, at: 9), .created(keys.entry(head.first), at: 0)])
        expect(
            transaction.then == [.put(keys.entry(head.first), head.value(term: Term(9), records: records), lease: 0)])
    }

    @Test func `each answer has its end`() {
        expect(end(.transacted(succeeded: true, [.put], header)) == .committed)
        expect(end(refused([entry(Term(9))], firsts: [keys.entry(Position(1))])) == .committed)
        expect(end(refused([entry(Term(11))], firsts: [keys.entry(Position(1))])) == .superseded)
        expect(end(refused([], firsts: [keys.entry(Position(1))])) == .superseded)
        expect(end(refused([], firsts: [])) == .superseded)
        expect(end(refused([], firsts: [keys.entry(Position(6))])) == .unknown)
        expect(end(.unknown) == nil)
    }

    @Test func `a refusal after a try of unknown outcome ends nothing, and the same call goes to the next endpoint`() {
        var calls = Calls(endpoints: 2)
        var writing = Writing(head, records: records, keys, term: Term(9), at: 0, &calls)
        let first = calls.take()
        expect(writing.answered(CallID(1), .unknown, at: 0, &calls) == nil)
        expect(writing.isInDoubt && writing.isWaiting && writing.retryAt == 20_000_000)
        writing.ticked(&calls, at: 19_999_999)
        expect(calls.actions.isEmpty)
        writing.ticked(&calls, at: 20_000_000)
        guard case .call(_, let call, endpoint: 0)? = first.first else { return }
        expect(calls.take() == [.call(CallID(2), call, endpoint: 1)])
        expect(writing.answered(CallID(2), .refused(.tooLarge), at: 30_000_000, &calls) == nil)
        writing.ticked(&calls, at: 1_000_000_000)
        expect(writing.answered(CallID(3), .transacted(succeeded: true, [.put], header), at: 0, &calls) == .committed)
    }

    @Test func `where etcd is full, the entry is looked for, since it may have been taken`() {
        for (isThere, isDoubted, end) in [(true, false, .committed), (false, false, .full), (false, true, nil)]
            as [(Bool, Bool, Writing.Ended?)]
        {
            var calls = Calls(endpoints: 1)
            var writing = Writing(head, records: records, keys, term: Term(9), at: 0, &calls)
            if isDoubted {
                expect(writing.answered(CallID(1), .unknown, at: 0, &calls) == nil)
                writing.ticked(&calls, at: 1_000_000_000)
            }
            let number: UInt64 = isDoubted ? 2 : 1
            expect(writing.answered(CallID(number), .full, at: 0, &calls) == nil)
            let leader = OrderingKeyValue(key: keys.leader, value: [], created: 9, changed: 9)
            let results: [OrderingResult] = [
                .ranged(OrderingRanged([leader])), .ranged(OrderingRanged(isThere ? [entry(Term(9))] : [])),
                .ranged(OrderingRanged([])),
            ]
            let look = OrderingAnswer.transacted(succeeded: true, results, header)
            expect(writing.answered(CallID(number + 1), .unknown, at: 0, &calls) == nil)
            expect(writing.isUndecided, "it was not found out")
            writing.ticked(&calls, at: 2_000_000_000)
            expect(writing.answered(CallID(number + 2), look, at: 0, &calls) == end)
        }
    }

    @Test func `the parts of a large entry are put before it, four at a time`() {
        let records = [UInt8](repeating: 1, count: 6 * EntryHead.bytesOfPart)
        let head = EntryHead(
            first: Position(5), count: 1, previous: 3, bytes: records.count, digest: EntryHead.Digest(low: 1, high: 2))
        var calls = Calls(endpoints: 1)
        var writing = Writing(head, records: records, keys, term: Term(9), at: 0, &calls)
        expect(calls.take().count == 4)
        for number in 1...6 as ClosedRange<UInt64> {
            expect(
                writing.answered(CallID(number), .transacted(succeeded: true, [.put], header), at: 0, &calls) == nil)
        }
        expect(calls.take().count == 3)
        expect(writing.isAsking(CallID(7)))
        expect(writing.answered(CallID(7), .transacted(succeeded: true, [.put], header), at: 0, &calls) == .committed)
    }
}
