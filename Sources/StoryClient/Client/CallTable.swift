/// The requests that have no reply yet, as a machine: which goes on the wire when, and which a line belongs to.
///
/// At most `limit` are on the wire; the others wait in the order in which they came.
struct CallTable {
    /// What a line from the store means.
    enum Outcome: Equatable {
        /// There is more to come, or nobody waits for it.
        case nothing
        /// A request has its whole reply.
        case replied(UInt64, StoreReply)
        /// No request was waiting for this line.
        case unexpected
    }

    private struct Call {
        let request: RequestLine
        var rows: [ReplyLine] = []
        /// Nobody waits for the reply any more.
        var isAbandoned = false
        /// It is on the wire, or was when a connection was lost.
        var wasSent = false
    }

    /// How many may be on the wire at once.
    var limit = 64
    private var calls: [UInt64: Call] = [:]
    /// Those that wait to be sent, by their numbers; the cancelled ones are still among them.
    private var waiting = ReadyQueue<UInt64>()
    /// How many of those are cancelled.
    private var cancelledCount = 0
    /// Those on the wire, with the turn in which each was sent: replies come in that order.
    private var sent: [UInt64: UInt64] = [:]
    private var turn: UInt64 = 0

    /// How many have no reply, whether they were sent or not.
    var count: Int { calls.count }
    /// How many are on the wire.
    var sentCount: Int { sent.count }

    /// How many wait to be sent, with cancelled ones that were not looked at yet.
    var waitingCount: Int { waiting.count }

    /// Takes up a request under a number that no other one has now.
    mutating func add(_ id: UInt64, _ request: RequestLine) {
        calls[id] = Call(request: request)
        waiting.append(id)
    }

    /// The bytes of the requests that may be sent now.
    mutating func takeSendable() -> [UInt8] {
        var bytes: [UInt8] = []
        while sent.count < limit, let id = waiting.popFirst() {
            guard let call = calls[id] else {
                cancelledCount -= 1
                continue
            }
            bytes.append(contentsOf: "@\(id) \(call.request.text)\n".utf8)
            calls[id]?.wasSent = true
            turn += 1
            sent[id] = turn
        }
        return bytes
    }

    /// A line has come.
    mutating func take(_ line: ReplyLine) -> Outcome {
        switch line.kind {
        case .notice: return .nothing
        case .push: return .unexpected
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

    /// The request that a line belongs to: its tag says so. A failure without a tag is that of the oldest one.
    private func owner(of line: ReplyLine) -> UInt64? {
        if line.mark.isEmpty && line.kind == .failed { return sent.min { $0.value < $1.value }?.key }
        return UInt64(line.mark).flatMap { sent[$0] == nil ? nil : $0 }
    }

    /// True when the store may have seen a request that has no reply.
    func wasSent(_ id: UInt64) -> Bool { calls[id]?.wasSent ?? false }

    /// Nobody waits for a reply any more. True when it had none yet.
    mutating func cancel(_ id: UInt64) -> Bool {
        guard var call = calls[id], !call.isAbandoned else { return false }
        guard sent[id] != nil else {
            calls[id] = nil
            cancelledCount += 1
            // A store that takes nothing for long must not make a queue of those that gave up.
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

    /// The connection is gone: what was sent is to be sent again, in the same order and before the others.
    ///
    /// - Returns: those that must not be sent again; they are no longer in the table.
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

    /// Gives all of them up; the numbers of those that somebody waits for.
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

/// First in, first out, at a constant cost each.
struct ReadyQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    var count: Int { elements.count - start }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func append(contentsOf more: some Sequence<Element>) { elements.append(contentsOf: more) }

    mutating func prepend(_ more: [Element]) {
        elements = more + elements[start...]
        start = 0
    }

    /// Drops all others.
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
