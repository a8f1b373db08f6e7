import Glibc
package import StoryCluster
package import StoryEtcd

/// A session with etcd over a socket, one step after the other.
package final class EtcdLink {
    package let session: EtcdSession
    /// What happened and was not taken yet.
    package private(set) var results: [EtcdResult] = []
    /// The number of bytes that came.
    package private(set) var receivedCount = 0
    /// Gets the bytes that come.
    package var recorder: (([UInt8]) -> Void)?
    private let descriptor: Int32
    private var unsent: [UInt8] = []
    private var part = [UInt8](repeating: 0, count: 262_144)
    private var next: UInt64 = 1

    /// Connects to a port on loopback.
    package init(_ port: UInt16, user: EtcdUser? = nil) throws {
        descriptor = try LoopbackPort.connect(port)
        session = EtcdSession(EtcdPeer(authority: "127.0.0.1:\(port)", user: user))
    }

    deinit { close(descriptor) }

    /// A number that no request has.
    package func makeID() -> CallID {
        defer { next += 1 }
        return CallID(next)
    }

    /// Makes a call and returns its answer.
    package func call(_ call: OrderingCall) throws -> OrderingAnswer { try answers([call])[0] }

    /// Makes calls at once and returns their answers in the order of the calls.
    package func answers(_ calls: [OrderingCall]) throws -> [OrderingAnswer] {
        let ids = calls.map { call in
            let id = makeID()
            session.call(id, call)
            return id
        }
        return try ids.map { id in try answer(to: id) }
    }

    /// Waits for the answer to a call.
    package func answer(to id: CallID) throws -> OrderingAnswer {
        var found: OrderingAnswer?
        try wait("the answer to call \(id.number)") {
            found = $0.lazy.compactMap { if case .answered(id, let answer) = $0 { answer } else { nil } }.first
            return found != nil
        }
        results.removeAll { if case .answered(id, _) = $0 { true } else { false } }
        return found ?? .unknown
    }

    /// Returns true where the answer to a call is there and was not taken.
    package func hasAnswer(_ id: CallID) -> Bool {
        results.contains { if case .answered(id, _) = $0 { true } else { false } }
    }

    /// Waits until the changes of a watch satisfy a condition, and takes its batches.
    package func batches(
        of id: CallID, until condition: ([OrderingWatchBatch]) -> Bool
    ) throws -> [OrderingWatchBatch] {
        var found: [OrderingWatchBatch] = []
        try wait("the batches of watch \(id.number)") {
            found = $0.compactMap { if case .watched(id, let batch) = $0 { batch } else { nil } }
            return condition(found)
        }
        results.removeAll { if case .watched(id, _) = $0 { true } else { false } }
        return found
    }

    /// Waits for the end of a watch.
    package func end(of id: CallID) throws -> OrderingWatchEnd {
        var found: OrderingWatchEnd?
        try wait("the end of watch \(id.number)") {
            found = $0.lazy.compactMap { if case .watchEnded(id, let end) = $0 { end } else { nil } }.first
            return found != nil
        }
        return found ?? .broken
    }

    /// Sends and receives until the results that were not taken satisfy a condition.
    package func wait(_ what: String, until condition: ([EtcdResult]) -> Bool) throws {
        try until(what) {
            if condition(results) { return true }
            step(milliseconds: 10)
            return condition(results)
        }
    }

    /// Sends what can be sent, and takes what comes within a time.
    package func step(milliseconds: Int32 = 0) {
        exchange(milliseconds)
        results += session.takeResults()
    }

    private func exchange(_ milliseconds: Int32) {
        unsent += session.takeOutput()
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN | (unsent.isEmpty ? 0 : POLLOUT)), revents: 0)
        guard !session.hasEnded, poll(&waiting, 1, milliseconds) > 0 else { return }
        if waiting.revents & Int16(POLLOUT) != 0 {
            let count = send(descriptor, unsent, unsent.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            unsent.removeFirst(max(count, 0))
        }
        guard waiting.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { return }
        let count = recv(descriptor, &part, part.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { session.peerClosed() }
            return
        }
        receivedCount += count
        recorder?(Array(part.prefix(count)))
        part.withUnsafeBytes { session.received(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        unsent += session.takeOutput()
    }
}
