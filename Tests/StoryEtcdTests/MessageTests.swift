import Foundation
import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// Messages beside the bytes that protoc's code for them writes, and that etcd sent (`Fixtures`).
@Suite struct MessageTests {
    private static let user = EtcdUser(name: "node", password: "pässword")
    private static let calls: [(name: String, call: OrderingCall)] = [
        ("range-key", .get("/log/1")),
        ("range-all", .range(.prefix("/log/", limit: 300, order: .descending, isKeysOnly: true))),
        (
            "txn-put",
            .transaction(
                OrderingTransaction(
                    conditions: [.created("/leader", at: 1 << 40 + 7), .created("/log/1", at: 0)],
                    then: [.put("/log/1", Array(0...255), lease: -3)],
                    otherwise: [.get(OrderingRange(from: "/leader")), .get(.prefix("/log/", limit: 1))]))
        ),
        (
            "txn-changed",
            .transaction(
                OrderingTransaction(
                    conditions: [.changed("/node", at: 5)],
                    then: [
                        .put("/node", [], lease: 0), .delete(OrderingRange(from: "/a", end: "/b")),
                        .delete(OrderingRange(from: "/c")),
                    ]))
        ),
        ("txn-empty", .transaction(OrderingTransaction(conditions: [], then: []))),
        ("grant", .grantLease(seconds: 3)), ("keep", .renewLease(1 << 62 + 1)), ("revoke", .revokeLease(-1)),
        ("compact", .compact(revision: 123_456_789)), ("status", .status),
    ]

    @Test func `requests have the bytes that protoc's code writes`() throws {
        let expected = try Fixture.read("requests.hex")
        var written = MessageTests.calls.map { ($0.name, EtcdRequest.call($0.call)) }
        written.append(("authenticate", EtcdRequest.authenticate(MessageTests.user)))
        written.append(("watch", EtcdRequest.watch(OrderingWatch(.prefix("/live/"), revision: 77))))
        expect(Set(written.map(\.0)) == Set(expected.keys))
        for (name, bytes) in written {
            let message = try require(expected[name])
            let prefix: [UInt8] = [0, 0, 0, UInt8(message.count >> 8), UInt8(message.count & 0xFF)]
            expect(bytes == prefix + message, "\(name)")
        }
    }

    @Test func `replies of etcd are read`() throws {
        let one = OrderingKeyValue(
            key: "/log/1", value: [0, 0xFF] + Array("one".utf8), created: 2, changed: 2, lease: MessageTests.lease)
        let two = OrderingKeyValue(key: "/log/2", value: Array("two".utf8), created: 3, changed: 3)
        var bare = one
        bare.value = []
        let put = OrderingTransaction(conditions: [], then: [.put("/log/1", [], lease: 0)])
        let three: [OrderingTransaction.Operation] = [
            .get(OrderingRange(from: "/log/1")), .get(OrderingRange(from: "/none")),
            .delete(OrderingRange(from: "/none")),
        ]
        let exists = OrderingTransaction(conditions: [], then: [], otherwise: three)
        let delete = OrderingTransaction(conditions: [], then: [.delete(.prefix("/log/")), .get(.prefix("/log/"))])
        try check("grant", .grantLease(seconds: 60)) { .granted(lease: MessageTests.lease, seconds: 60, $0(1)) }
        try check("put", .transaction(put)) { .transacted(succeeded: true, [.put], $0(2)) }
        try check("exists", .transaction(exists)) {
            .transacted(
                succeeded: false, [.ranged(OrderingRanged([one])), .ranged(OrderingRanged([])), .deleted(0)], $0(2))
        }
        try check("range", .range(.prefix("/log/", limit: 2))) {
            .ranged(OrderingRanged([one, two], hasMore: true), $0(3))
        }
        try check("none", .get("/none")) { .ranged(OrderingRanged([]), $0(3)) }
        try check("deleted", .transaction(delete)) {
            .transacted(succeeded: true, [.deleted(2), .ranged(OrderingRanged([bare]))], $0(4))
        }
        try check("keep", .renewLease(MessageTests.lease)) { _ in .renewed(seconds: 60) }
        try check("keep-gone", .renewLease(99)) { _ in .renewed(seconds: 0) }
        try check("compact", .compact(revision: 4)) { .compacted($0(4)) }
        try check("revoke", .revokeLease(MessageTests.lease)) { .revoked($0(5)) }
        try check("status", .status) { .status(version: "3.4.23", $0(5)) }
    }

    @Test func `messages of watches, and a token, are read`() throws {
        let replies = try Fixture.read("replies.hex")
        let batch = OrderingWatchBatch(
            [
                .put(
                    OrderingKeyValue(
                        key: "/log/1", value: [0, 0xFF] + Array("one".utf8), created: 2, changed: 2,
                        lease: MessageTests.lease)),
                .put(OrderingKeyValue(key: "/log/2", value: Array("two".utf8), created: 3, changed: 3)),
                .put(OrderingKeyValue(key: "/log/3", value: [], created: 3, changed: 3)),
                .deleted("/log/2", at: 4), .deleted("/log/3", at: 4),
            ], MessageTests.header(4))
        expect(try WatchReply(replies["watch-begun", default: []][...]) == .begun)
        expect(try WatchReply(replies["watch-batch", default: []][...]) == .batch(batch))
        expect(try WatchReply(replies["watch-compacted", default: []][...]) == .compacted)
        expect(EtcdReply.token(replies["authenticate", default: []][...]) == "damoeMyVquAnSRXR.15")
    }

    @Test func `fields that are not known are skipped, whatever their wire type`() throws {
        let reply = try require(try Fixture.read("replies.hex")["range"])
        // Field 15: a number, 8 bytes, text, 4 bytes.
        let unknown: [UInt8] = [0x78, 0xFF, 1, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7A, 2, 9, 9, 0x7D, 1, 2, 3, 4]
        let call = OrderingCall.range(.prefix("/log/"))
        expect(EtcdReply.answer(to: call, reply[...]) == EtcdReply.answer(to: call, (unknown + reply + unknown)[...]))
    }

    @Test func `a reply that is cut off, or is that of another call, leaves the call unknown`() throws {
        let replies = try Fixture.read("replies.hex")
        let reply = replies["exists", default: []]
        expect(EtcdReply.answer(to: .renewLease(98), replies["keep-gone", default: []][...]) == .unknown)
        let other = OrderingTransaction(conditions: [], then: [], otherwise: [.get(OrderingRange(from: "/log/1"))])
        expect(EtcdReply.answer(to: .transaction(other), reply[...]) == .unknown)
        for bytes: [UInt8] in [
            Array(reply.dropLast()), [0x0A], [0x0A, 5, 1],
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            [0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], [0x0B], [0x00, 1], [0x08, 1], [0x1A, 0],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0],
        ] { expect(EtcdReply.answer(to: .get("/a"), bytes[...]) == .unknown, "\(bytes)") }
    }

    @Test func `a version that loses writes is refused`() {
        for version in ["3.5.0", "3.5.1", "3.5.2", "3.5.3", "3.4.23", "3.5.16", "3.6.0"] {
            let reply: [UInt8] = [0x12, UInt8(version.utf8.count)] + Array(version.utf8)
            let answer = EtcdReply.answer(to: .status, reply[...])
            let header = OrderingHeader(cluster: 0, revision: 0)
            if ["3.5.0", "3.5.1", "3.5.2"].contains(version) {
                guard case .refused(.other(let text)) = answer, text.contains("etcd \(version) loses") else {
                    Issue.record("\(answer)")
                    continue
                }
            } else {
                expect(answer == .status(version: version, header))
            }
        }
    }

    private static let lease: Int64 = 2_324_035_651_331_454_470
    private static func header(_ revision: Int64) -> OrderingHeader {
        OrderingHeader(cluster: 324_952_591_200_643_719, revision: revision)
    }

    private func check(
        _ name: String, _ call: OrderingCall, _ expected: ((Int64) -> OrderingHeader) -> OrderingAnswer
    ) throws {
        let reply = try require(try Fixture.read("replies.hex")[name])
        expect(EtcdReply.answer(to: call, reply[...]) == expected(MessageTests.header), "\(name)")
    }
}

/// Files of bytes beside these tests: lines of a name and hexadecimal digits.
enum Fixture {
    static func read(_ name: String) throws -> [String: [UInt8]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
        var found: [String: [UInt8]] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            let digits = Array(parts[1].utf8)
            found[String(parts[0])] = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
        }
        return found
    }
}
