import StoryCore

/// What a subscription to events tells.
public enum EventPush: Hashable, Sendable {
    /// The subscription stands, for the first time or again. `log` is the history that positions are of from now on:
    /// keep it beside the position that you go on from.
    case subscribed(log: String?)
    /// An event.
    case event(Event)
    /// Everything up to this position has come; what comes next is live.
    case caughtUp(UInt64)
    /// This reader is slow: so many events of the log wait.
    case behind(UInt64)
}

/// Events from a position on, oldest first, then live, without end. Each comes once, in its order: after a lost
/// connection, or an end that the store brings about, reading goes on behind the last event that was taken.
///
/// Breaking off the loop, or cancelling its task, ends the subscription. A reader that is slow loses nothing.
public struct EventSubscription: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = any Error

    /// The same with what the store says besides the events.
    public let pushes: EventPushes

    /// Walks through the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: EventPushes.AsyncIterator

        /// The next event; waits until there is one.
        ///
        /// - Throws: `ClientError`, `diverged` where the store has another history; or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Event? {
            while let push = try await base.next(isolation: actor) {
                if case .event(let event) = push { return event }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: pushes.makeAsyncIterator()) }
}

/// Events and what the store says besides them.
public struct EventPushes: AsyncSequence, Sendable {
    public typealias Element = EventPush
    public typealias Failure = any Error

    let dialer: Dialer
    let selection: EventSelection
    let from: LogPoint?
    let types: [String]?
    let log: String?

    /// Walks through what is pushed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: PushStream
        private let subscription: EventPushes
        /// The position to go on from; nil while none is known.
        private var resume: UInt64?
        private var log: String?
        private var isOver = false

        init(_ subscription: EventPushes) {
            self.subscription = subscription
            log = subscription.log
            stream = PushStream(subscription.dialer)
        }

        /// What comes next; waits for it.
        ///
        /// - Throws: `ClientError`, `diverged` where the store has another history; or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> EventPush? {
            guard !isOver else { return nil }
            do {
                while true {
                    let (line, stream) = (request, stream)
                    if let push = try push(await stream.next { line }) { return push }
                }
            } catch {
                isOver = true
                throw error
            }
        }

        private var request: RequestLine {
            let from = resume.map(String.init) ?? subscription.from?.option
            return RequestLine(.subscribe, subscription.selection.events).option("from", from)
                .option("types", subscription.types).option("log", log)
        }

        private mutating func push(_ step: PushStream.Step) throws(ClientError) -> EventPush? {
            switch step {
            case .subscribed(let name, let end):
                // Without a point to begin at it is what comes next: that is told now, and holds from now on.
                if resume == nil, subscription.from == nil { advance(to: end) }
                log = name ?? log
                return .subscribed(log: log)
            case .content(let json):
                let event = try Event(json)
                // Whatever was taken already does not come again.
                guard event.position >= resume ?? 0 else { return nil }
                advance(to: event.position)
                return .event(event)
            case .caughtUp(let position):
                advance(to: position)
                return .caughtUp(position)
            case .behind(let count): return .behind(count)
            case .ended(let position):
                if let position, position > 0 { advance(to: position - 1) }
                return nil
            }
        }

        /// Everything up to this position is done with.
        private mutating func advance(to position: UInt64) {
            let (following, isTooGreat) = position.addingReportingOverflow(1)
            resume = Swift.max(resume ?? 0, isTooGreat ? position : following)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension StoreClient {
    /// Events from a point on, then live, without end.
    ///
    /// - Parameters:
    ///   - selection: which events.
    ///   - from: a position, at most the one behind the last event, also for one stream; or a moment. Nil: what comes
    ///     next.
    ///   - types: only events of these types, 64 at most.
    ///   - log: the history that `from` is of; another one is `ClientError.diverged`. Nil: not checked at first, but from
    ///     then on.
    public func events(
        in selection: EventSelection = .all, from: LogPoint? = nil, types: [String]? = nil, log: String? = nil
    ) -> EventSubscription {
        EventSubscription(
            pushes: EventPushes(dialer: dialer, selection: selection, from: from, types: types, log: log))
    }
}
