/// The requests without a reply: a state machine that decides when each is sent and which request a line belongs to.
///
/// At most `limit` are in flight; the others wait in the order in which they were added.
struct CallTable {
    /// The result of a line from the store.
    enum Outcome: Equatable {
        /// Nothing to do: more lines follow, or the line is a notice, a push, or belongs to a cancelled request.
        case nothing
        /// The reply to a request is complete.
        case replied(UInt64, StoreReply)
        /// No request was waiting for this line.
        case unexpected
    }

    /// A request without a complete reply.
    private struct Call {
        let request: RequestLine
        var rows: [ReplyLine] = []
        /// The caller no longer waits for the reply.
        var isAbandoned = false
        /// The request is in flight, or was when a connection was lost.
        var wasSent = false
    }

    /// The maximum number of requests in flight.
    var limit = 64
    /// The position that the store of the connection has to be at before it answers queries; nil: any.
    var minimum: Minimum?
    private var calls: [UInt64: Call] = [:]
    /// The numbers of the requests that wait to be sent; cancelled ones are still among them.
    private(set) var waiting = ReadyQueue<UInt64>()
    /// The number of cancelled requests in `waiting`.
    private var cancelledCount = 0
    /// The requests in flight, each with its sequence number of sending: replies come in that order.
    private(set) var sent: [UInt64: UInt64] = [:]
    private var turn: UInt64 = 0

    /// The number of requests without a reply, whether they were sent or not.
    var count: Int { calls.count }

    /// Adds a request under a number that no other one has now.
    mutating func add(_ id: UInt64, _ request: RequestLine) {
        calls[id] = Call(request: request)
        waiting.append(id)
    }

    /// Returns the bytes of the requests that may be sent now, and marks these as sent.
    mutating func takeSendable() -> [UInt8] {
        var bytes: [UInt8] = []
        while sent.count < limit, let id = waiting.popFirst() {
            guard let call = calls[id] else {
                cancelledCount -= 1
                continue
            }
            bytes.append(contentsOf: "@\(id) \(call.request.minimum(minimum).text)\n".utf8)
            calls[id]?.wasSent = true
            turn += 1
            sent[id] = turn
        }
        return bytes
    }

    /// Processes a line from the store.
    mutating func take(_ line: ReplyLine) -> Outcome {
        switch line.kind {
        case .notice, .push: return .nothing
        case .row, .done, .failed:
            guard let id = owner(of: line), var call = calls[id] else { return .unexpected }
            guard line.isFinal else {
                if !call.isAbandoned { call.rows.append(line) }
                calls[id] = call
                return .nothing
            }
            sent[id] = nil
            calls[id] = nil
            return call.isAbandoned ? .nothing : .replied(id, StoreReply(rows: call.rows, final: line))
        }
    }

    /// Returns the request that a line belongs to by its tag; a failure without a tag belongs to the oldest one in
    /// flight.
    private func owner(of line: ReplyLine) -> UInt64? {
        if line.mark.isEmpty && line.kind == .failed { return sent.min { $0.value < $1.value }?.key }
        return UInt64(line.mark).flatMap { sent[$0] == nil ? nil : $0 }
    }

    /// Returns true when the store may have seen a request that has no reply.
    func wasSent(_ id: UInt64) -> Bool { calls[id]?.wasSent ?? false }

    /// Cancels a request, so that its reply is dropped; returns true when it had none yet.
    mutating func cancel(_ id: UInt64) -> Bool {
        guard var call = calls[id], !call.isAbandoned else { return false }
        guard sent[id] != nil else {
            calls[id] = nil
            cancelledCount += 1
            // Bounds the number of cancelled requests in the queue while the store accepts none.
            if cancelledCount > 1_024, cancelledCount * 2 > waiting.count {
                waiting.keep { calls[$0] != nil }
                cancelledCount = 0
            }
            return true
        }
        (call.isAbandoned, call.rows) = (true, [])
        calls[id] = call
        return true
    }

    /// Requeues the requests in flight after a lost connection, in the same order and ahead of the others.
    ///
    /// - Returns: the requests that must not be sent again; they are no longer in the table.
    mutating func lostConnection() -> [UInt64] {
        let lost = sent.sorted { $0.value < $1.value }.map(\.key)
        sent = [:]
        var given: [UInt64] = []
        var again: [UInt64] = []
        for id in lost {
            guard var call = calls[id], !call.isAbandoned, call.request.isRepeatable else {
                if calls.removeValue(forKey: id)?.isAbandoned == false { given.append(id) }
                continue
            }
            call.rows = []
            calls[id] = call
            again.append(id)
        }
        waiting.prepend(again)
        return given
    }

    /// Removes all requests and returns the numbers of those that were not cancelled.
    mutating func removeAll() -> [UInt64] {
        defer {
            calls = [:]
            sent = [:]
            waiting = ReadyQueue()
            cancelledCount = 0
        }
        return calls.filter { !$0.value.isAbandoned }.keys.sorted()
    }
}

/// A first-in, first-out queue whose `append` and `popFirst` take amortized constant time.
struct ReadyQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var count: Int { elements.count - start }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func append(contentsOf more: some Sequence<Element>) { elements.append(contentsOf: more) }

    mutating func prepend(_ more: [Element]) {
        elements = more + elements[start...]
        start = 0
    }

    /// Removes the elements for which `isWanted` is false.
    mutating func keep(_ isWanted: (Element) -> Bool) {
        elements = elements[start...].filter(isWanted)
        start = 0
    }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            start += 1
            if start > 1_024, start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
