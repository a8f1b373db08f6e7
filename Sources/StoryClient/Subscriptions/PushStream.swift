import StoryCore

/// A subscription on a connection of its own, which is made again when it is lost. It belongs to one iterator.
///
/// Lines are read on demand, and a bounded number of bytes ahead: a stalled reader costs no more memory, here or in the
/// store.
final class PushStream {
    /// A push, or a change of the subscription.
    enum Step {
        /// The subscription is established; `log` is the store's history, `end` the position of its last event.
        case subscribed(log: String?, end: UInt64)
        /// The JSON of an event, or of a change of a row.
        case content([UInt8])
        /// Everything up to this position was sent.
        case caughtUp(UInt64)
        /// The given number of events wait, because the reader is slow.
        case behind(UInt64)
        /// The rows that were sent are void: they come again.
        case again
        /// The store ended the subscription; `resume` is the position to continue from. The next step is a new
        /// subscription.
        case ended(resume: UInt64?)
    }

    /// A connection with a subscription, or with the request for one.
    private struct Open {
        let channel: Channel
        let log: String?
        var arrived: ReadyQueue<ReplyLine>
        /// The number of the subscription on the connection; nil until the store has sent it.
        var number: UInt64?
    }

    private let dialer: Dialer
    private var open: Open?
    /// The number of connections in a row without a push.
    private var fruitless = 0
    /// The number of the endpoint in the list to connect to next.
    private var endpoint = 0
    private var troubledSince: ContinuousClock.Instant?

    init(_ dialer: Dialer) { self.dialer = dialer }

    deinit {
        guard let open else { return }
        if let number = open.number { open.channel.send("\(RequestLine(.unsubscribe, String(number)).text)\n".utf8) }
        open.channel.close()
    }

    /// The number of bytes of lines that wait in the connection.
    var waitingSize: Int { open?.channel.waitingSize ?? 0 }

    /// Returns the next step; waits until there is one. Nil: the store has ended for good.
    ///
    /// - Parameter request: makes the request for the subscription, whenever a new one is needed.
    /// - Throws: `ClientError`, `CancellationError`.
    nonisolated(nonsending) func next(_ request: () -> RequestLine) async throws -> Step? {
        do {
            return try await nextOfStore(request)
        } catch  where dialer.isOver.isSet && error is ClientError {
            return nil
        }
    }

    private nonisolated(nonsending) func nextOfStore(_ request: () -> RequestLine) async throws -> Step {
        while true {
            try Task.checkCancellation()
            if open == nil { try await subscribe(request()) }
            if let line = open?.arrived.popFirst() {
                if let step = try step(line) { return step }
            } else if let channel = open?.channel {
                switch await channel.receive() {
                case .lines(let lines): open?.arrived.append(contentsOf: lines)
                case .ended(let error): try lost(error)
                }
            }
        }
    }

    private nonisolated(nonsending) func subscribe(_ request: RequestLine) async throws {
        let link = try await dialer.connect(attempt: fruitless, from: endpoint)
        endpoint = link.next
        fruitless += 1
        var arrived = ReadyQueue<ReplyLine>()
        arrived.append(contentsOf: link.rest)
        open = Open(channel: link.channel, log: link.greeting.log, arrived: arrived)
        let minimum = dialer.seen.missing(link.greeting).map(Minimum.position)
        dialer.seen.note(link.greeting.position, of: link.greeting.log)
        link.channel.send("\(request.minimum(minimum).text)\n".utf8)
    }

    /// Drops a failed connection, so that a new one is made; throws once the time limit for retries is reached.
    private func lost(_ error: ClientError) throws(ClientError) {
        open?.channel.close()
        open = nil
        if case .protocolViolation = error { throw error }
        let now = ContinuousClock.now
        let since = troubledSince ?? now
        troubledSince = since
        if now - since >= dialer.policy.limit { throw error == .closed ? .connectionLost : error }
    }

    private func step(_ line: ReplyLine) throws(ClientError) -> Step? {
        switch line.kind {
        case .notice: return nil
        case .push where line.mark == open?.number.map(String.init): return try step(push: line)
        case .done where open?.number == nil: return try subscribed(line)
        case .failed:
            let refusal = ClientError(Refusal(json: line.json))
            guard refusal.retry == .later || refusal.retry == .same else { throw refusal }
            try lost(refusal)
            return nil
        case .row, .push, .done: throw .protocolViolation(String(line.text.prefix(200)))
        }
    }

    private func subscribed(_ line: ReplyLine) throws(ClientError) -> Step {
        let members = JSONMembers(line.json)
        guard let number = members?.number("subscription"), let end = members?.number("position") else {
            throw .protocolViolation(String(line.text.prefix(200)))
        }
        open?.number = number
        open?.channel.ask(afterSilenceOf: dialer.silence)
        return .subscribed(log: open?.log, end: end)
    }

    private func step(push line: ReplyLine) throws(ClientError) -> Step {
        guard let members = JSONMembers(line.json) else { throw .notUnderstood(line.text) }
        if members.first == "end" {
            let resume = members.number("resume")
            if members["damaged"].map({ $0.elementsEqual("true".utf8) }) == true {
                throw .internal(message: members.text("end") ?? "", isDamaged: true, position: resume)
            }
            try lost(.connectionLost)
            return .ended(resume: resume)
        }
        (fruitless, troubledSince) = (0, nil)
        dialer.seen.note(members.number("position") ?? members.number("caughtUp"), of: open?.log)
        if members.first == "caughtUp", let position = members.number("caughtUp") { return .caughtUp(position) }
        if members.first == "behind", let count = members.number("behind") { return .behind(count) }
        if members.first == "again" { return .again }
        return .content(line.json)
    }
}
