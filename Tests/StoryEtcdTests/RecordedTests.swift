import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// Sessions that were recorded: the bytes that etcd 3.4.23 sent, in pieces of all lengths.
@Suite struct RecordedTests {
    /// The calls of the recorded session, each of which was made after the answer to the one before.
    private static let calls: [OrderingCall] = [
        .status, .putIfAbsent("/log/1", [1, 2, 3]), .putIfAbsent("/log/1", [4]), .range(.prefix("/log/")),
        .put("/log/2", [UInt8](repeating: 7, count: 300)), .compact(revision: 9), .revokeLease(9),
        .transaction(OrderingTransaction(conditions: [], then: [.delete(.prefix("/log/"))])), .renewLease(9),
    ]

    @Test func `bytes that come in pieces give the same results, wherever they are cut`() throws {
        let bytes = try require(try Fixture.read("session.hex")["session"])
        let whole = results([bytes[...]])
        expect(whole.count == RecordedTests.calls.count + 5)
        expect(whole.last == .connectionFailed(.closed))
        // The results of each request are in one order; etcd promises none among requests.
        let expected = byRequest(whole)
        expect(byRequest(results(bytes.indices.map { bytes[$0...$0] })) == expected)
        for cut in bytes.indices {
            try require(byRequest(results([bytes[..<cut], bytes[cut...]])) == expected, "cut at \(cut)")
        }
    }

    @Test func `bytes that end anywhere leave unknown what has no answer, and change none that has`() throws {
        let bytes = try require(try Fixture.read("session.hex")["session"])
        let whole = answers(results([bytes[...]]))
        for end in bytes.indices {
            let found = answers(results([bytes[..<end]]))
            try require(Set(found.keys) == Set(whole.keys))
            try require(found.allSatisfy { $0.value == .unknown || $0.value == whole[$0.key] }, "cut off at \(end)")
        }
        expect(whole.values.filter { $0 == .unknown }.isEmpty)
    }

    /// Plays the session, whose requests are all sent first.
    private func results(_ pieces: [ArraySlice<UInt8>]) -> [EtcdResult] {
        let session = RecordedTests.begin()
        _ = session.takeOutput()
        var results: [EtcdResult] = []
        for piece in pieces {
            piece.withUnsafeBytes { session.received($0) }
            _ = session.takeOutput()
            results += session.takeResults()
        }
        session.peerClosed()
        return results + session.takeResults()
    }

    private func byRequest(_ results: [EtcdResult]) -> [CallID?: [EtcdResult]] {
        Dictionary(grouping: results) { result in
            switch result {
            case .answered(let id, _), .watched(let id, _), .watchEnded(let id, _): id
            case .connectionFailed: nil
            }
        }
    }

    private func answers(_ results: [EtcdResult]) -> [CallID: OrderingAnswer] {
        let pairs = results.compactMap { if case .answered(let id, let answer) = $0 { (id, answer) } else { nil } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func begin() -> EtcdSession {
        let session = EtcdSession(EtcdPeer(authority: "127.0.0.1:2379"))
        session.watch(CallID(100), OrderingWatch(.prefix("/log/"), revision: 2))
        for (number, call) in calls.enumerated() { session.call(CallID(UInt64(number)), call) }
        return session
    }
}
