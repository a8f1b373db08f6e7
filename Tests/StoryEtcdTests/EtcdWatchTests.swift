import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// Watches of a session with a real etcd.
@Suite(.serialized) struct EtcdWatchTests {
    private let etcd: RunningEtcd
    private let link: EtcdLink

    init() throws {
        etcd = try RunningEtcd()
        link = try EtcdLink(etcd.port)
    }

    @Test func `a watch from a past revision has all changes since, and those that come, in their order`() throws {
        let first = try require(link.call(.put("/log/1", [1])).revision)
        expect(try link.call(.put("/other", [9])).isDone)
        expect(try link.call(.put("/log/2", [2])).isDone)
        let id = link.makeID()
        link.session.watch(id, OrderingWatch(.prefix("/log/"), revision: first))
        let delete = OrderingTransaction(conditions: [], then: [.delete(OrderingRange(from: "/log/1"))])
        expect(try link.call(.transaction(delete)).revision == first + 3)
        expect(try link.call(.put("/log/2", [3])).isDone)
        let batches = try link.batches(of: id) { $0.flatMap(\.changes).count == 4 }
        expect(
            batches.flatMap(\.changes) == [
                .put(OrderingKeyValue(key: "/log/1", value: [1], created: first, changed: first)),
                .put(OrderingKeyValue(key: "/log/2", value: [2], created: first + 2, changed: first + 2)),
                .deleted("/log/1", at: first + 3),
                .put(OrderingKeyValue(key: "/log/2", value: [3], created: first + 2, changed: first + 4)),
            ])
        expect(batches.last?.header.revision == first + 4)
        link.session.endWatch(id)
        expect(try link.call(.put("/log/3", [1])).isDone)
        expect(try link.call(.get("/log/3")).keys?.count == 1)
        expect(link.results == [])
    }

    @Test func `a watch of a revision that is compacted ends so`() throws {
        let first = try require(link.call(.put("/log/1", [1])).revision)
        expect(try link.call(.put("/log/1", [2])).isDone)
        expect(try link.call(.compact(revision: first + 1)).revision == first + 1)
        let id = link.makeID()
        link.session.watch(id, OrderingWatch(.prefix("/log/"), revision: first))
        expect(try link.end(of: id) == .compacted)
    }

    @Test func `a backlog of 15 MiB comes in batches of less than 2 MiB, and whole`() throws {
        let value = [UInt8](repeating: 5, count: 256 << 10)
        let first = try require(link.call(.put("/log/100", value)).revision)
        for number in 101..<160 { expect(try link.call(.put("/log/\(number)", value)).isDone) }
        let id = link.makeID()
        link.session.watch(id, OrderingWatch(.prefix("/log/"), revision: first))
        let batches = try link.batches(of: id) { $0.flatMap(\.changes).count == 60 }
        expect(batches.count > 7)
        expect(batches.allSatisfy { $0.changes.count < 8 })
        expect(batches.contains { $0.isFragment })
        let expected = (0..<60).map { number in
            OrderingWatchBatch.Change.put(
                OrderingKeyValue(
                    key: "/log/\(100 + number)", value: value, created: first + Int64(number),
                    changed: first + Int64(number)))
        }
        expect(batches.flatMap(\.changes) == expected)
    }

    @Test func `a watch that is paused takes no more than its window, and calls go on beside it`() throws {
        let value = [UInt8](repeating: 5, count: 1 << 20)
        let first = try require(link.call(.put("/log/100", value)).revision)
        for number in 101..<115 { expect(try link.call(.put("/log/\(number)", value)).isDone) }
        let id = link.makeID()
        link.session.watch(id, OrderingWatch(.prefix("/log/"), revision: first))
        link.session.pauseWatch(id)
        let before = link.receivedCount
        for _ in 0..<100 { expect(try link.call(.get("/small")).keys == []) }
        // etcd sends until the window is full; then only the answers to the calls come.
        try until("etcd fills the window of the watch") {
            try link.call(.get("/small")).keys == [] && link.receivedCount - before >= 8 << 20
        }
        for _ in 0..<200 { expect(try link.call(.get("/small")).keys == []) }
        expect(link.receivedCount - before < 8 << 20 + 512 << 10)
        expect(link.results == [])
        link.session.resumeWatch(id)
        let changes = try link.batches(of: id) { $0.flatMap(\.changes).count == 15 }.flatMap(\.changes)
        expect(changes.count == 15)
    }

    @Test func `watches and renewals end without a leader`() throws {
        let cluster = try RunningEtcd.cluster(of: 2)
        let link = try EtcdLink(cluster[0].port)
        let lease = try link.grant(seconds: 60)
        let watch = link.makeID()
        link.session.watch(watch, OrderingWatch(.prefix("/log/"), revision: 1))
        expect(try link.call(.renewLease(lease)) == .renewed(seconds: 60))
        try cluster[1].kill()
        expect(try link.end(of: watch) == .broken)
        expect(try link.call(.renewLease(lease)) == .unknown)
        let put = link.makeID()
        link.session.call(put, .put("/a", [1]))
        link.step()
        link.session.cancel(put)
        expect(try link.answer(to: put) == .unknown)
    }
}
