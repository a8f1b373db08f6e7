import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// The calls of a session with a real etcd.
@Suite(.serialized) struct EtcdTests {
    private let etcd: RunningEtcd
    private let link: EtcdLink

    init() throws {
        etcd = try RunningEtcd()
        link = try EtcdLink(etcd.port)
    }

    @Test func `a transaction puts a key that is absent, and does the other list where it is there`() throws {
        let put = OrderingCall.putIfAbsent("/log/1", [1, 2, 3])
        let first = try link.call(put)
        let revision = try require(first.revision)
        let pair = OrderingKeyValue(key: "/log/1", value: [1, 2, 3], created: revision, changed: revision)
        guard case .transacted(_, _, let header) = first else { throw Unexpected(first) }
        expect(first == .transacted(succeeded: true, [.put], header))
        expect(try link.call(put) == .transacted(succeeded: false, [.ranged(OrderingRanged([pair]))], header))
    }

    @Test func `a condition on the last change holds for that revision alone`() throws {
        let first = try require(link.call(.put("/node", [1])).revision)
        let report = OrderingCall.transaction(
            OrderingTransaction(conditions: [.changed("/node", at: first)], then: [.put("/node", [2], lease: 0)]))
        expect(try link.call(report).isDone)
        guard case .transacted(false, [], _) = try link.call(report) else { throw Unexpected("a second success") }
        let pair = try require(link.call(.get("/node")).keys?.first)
        expect(pair == OrderingKeyValue(key: "/node", value: [2], created: first, changed: first + 1))
    }

    @Test func `a range has the keys of a prefix in both orders, with a limit, without values, and none`() throws {
        let names = (0..<100).map { "/log/\(1_000 + $0)" }
        let put = OrderingTransaction(conditions: [], then: names.map { .put($0, Array($0.utf8), lease: 0) })
        let revision = try require(link.call(.transaction(put)).revision)
        let keys = names.map {
            OrderingKeyValue(key: $0, value: Array($0.utf8), created: revision, changed: revision)
        }
        expect(try link.call(.put("/log0", [9])).isDone)
        let header = try link.header()
        expect(try link.call(.range(.prefix("/log/"))) == .ranged(OrderingRanged(keys), header))
        expect(
            try link.call(.range(.prefix("/log/", limit: 16)))
                == .ranged(OrderingRanged(Array(keys.prefix(16)), hasMore: true), header))
        expect(
            try link.call(.range(.prefix("/log/", limit: 1, order: .descending)))
                == .ranged(OrderingRanged(Array(keys.suffix(1)), hasMore: true), header))
        let bare = keys.map { OrderingKeyValue(key: $0.key, value: [], created: revision, changed: revision) }
        expect(try link.call(.range(.prefix("/log/", isKeysOnly: true))) == .ranged(OrderingRanged(bare), header))
        expect(
            try link.call(.range(OrderingRange(from: "/log/1098", end: "/log/2")))
                == .ranged(OrderingRanged(Array(keys.suffix(2))), header))
        expect(try link.call(.get("/other")) == .ranged(OrderingRanged([]), header))
    }

    @Test func `a transaction deletes ranges, and says how many keys they had`() throws {
        for key in ["/a/1", "/a/2", "/a/3", "/b/1"] { expect(try link.call(.put(key, [1])).isDone) }
        let trim = OrderingTransaction(
            conditions: [],
            then: [.delete(OrderingRange(from: "/a/", end: "/a/3")), .delete(.prefix("/b/")), .get(.prefix("/a/"))])
        guard case .transacted(true, let results, _) = try link.call(.transaction(trim)) else { throw Unexpected(trim) }
        expect(results.prefix(2) == [.deleted(2), .deleted(1)])
        guard case .ranged(let left)? = results.last else { throw Unexpected(results) }
        expect(left.keys.map(\.key) == ["/a/3"])
    }

    @Test func `a lease that is kept holds its key, and one that expires deletes it`() throws {
        let lease = try link.grant(seconds: 4)
        expect(try link.call(.putIfAbsent("/leader", [7], lease: lease)).isDone)
        expect(try link.call(.get("/leader")).keys?.first?.lease == lease)
        let began = ContinuousClock.now
        var renewed = 0
        while ContinuousClock.now - began < .seconds(6) {
            try require(try link.call(.renewLease(lease)) == .renewed(seconds: 4))
            renewed += 1
        }
        expect(renewed > 2)
        expect(try link.call(.get("/leader")).keys?.count == 1)
        try until("the key of a lease that nobody renews is gone") { try link.call(.get("/leader")).keys == [] }
        expect(try link.call(.renewLease(lease)) == .renewed(seconds: 0))
        expect(try link.call(.putIfAbsent("/leader", [8], lease: lease)) == .refused(.noLease))
        expect(try link.call(.get("/leader")).keys == [])
    }

    @Test func `the keys of a lease that is revoked are gone`() throws {
        let lease = try link.grant(seconds: 60)
        expect(try link.call(.putIfAbsent("/leader", [7], lease: lease)).isDone)
        guard case .revoked = try link.call(.revokeLease(lease)) else { throw Unexpected(lease) }
        expect(try link.call(.get("/leader")).keys == [])
        expect(try link.call(.revokeLease(lease)) == .refused(.noLease))
    }

    @Test func `etcd says which version it is`() throws {
        guard case .status(let version, let header) = try link.call(.status) else { throw Unexpected(link.results) }
        expect(try etcd.control(["version"]).contains("etcdctl version: \(version)\n"))
        expect(header.cluster != 0)
    }

    @Test func `a compaction is done once`() throws {
        for value in UInt8(1)...3 { expect(try link.call(.put("/a", [value])).isDone) }
        let revision = try require(link.call(.get("/a")).revision)
        expect(try link.call(.compact(revision: revision)).revision == revision)
        expect(try link.call(.compact(revision: revision)) == .refused(.compacted))
        expect(
            try link.call(.compact(revision: revision + 100))
                == .refused(.other("etcdserver: mvcc: required revision is a future revision")))
    }

    @Test func `a request that is too large is refused, by etcd or by gRPC, and the connection goes on`() throws {
        for size in [1_700_000, 1_835_008, 5 << 20] {
            expect(try link.call(.put("/large", [UInt8](repeating: 7, count: size))) == .refused(.tooLarge), "\(size)")
            expect(try link.call(.get("/large")).keys == [])
        }
    }

    @Test func `1 MiB is put, and many calls at once have their own answers`() throws {
        let large = [UInt8](repeating: 7, count: 1 << 20)
        expect(try link.call(.put("/large", large)).isDone)
        expect(try link.call(.get("/large")).keys?.first?.value == large)
        let puts = try link.answers((0..<64).map { .put("/many/\(100 + $0)", [UInt8($0)]) })
        expect(puts.allSatisfy { $0.isDone })
        let gets = try link.answers((0..<64).map { .get("/many/\(100 + $0)") })
        expect(gets.map { $0.keys?.first?.value } == (0..<64).map { [UInt8($0)] })
    }

    @Test func `a call that is given up is unknown at once, and the connection goes on`() throws {
        let id = link.makeID()
        link.session.call(id, .put("/a", [1]))
        link.session.cancel(id)
        expect(link.session.takeResults() == [.answered(id, .unknown)])
        link.session.cancel(id)
        expect(try link.call(.put("/b", [1])).isDone)
        expect(link.results == [])
    }
}

/// An answer that a test does not expect.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ answer: Any) { description = "unexpected: \(answer)" }
}

extension EtcdLink {
    /// Grants a lease.
    func grant(seconds: Int) throws -> Int64 {
        let answer = try call(.grantLease(seconds: seconds))
        guard case .granted(let lease, seconds, _) = answer else { throw Unexpected(answer) }
        return lease
    }

    /// The header of an answer now.
    func header() throws -> OrderingHeader {
        let answer = try call(.get("/"))
        guard case .ranged(_, let header) = answer else { throw Unexpected(answer) }
        return header
    }
}
