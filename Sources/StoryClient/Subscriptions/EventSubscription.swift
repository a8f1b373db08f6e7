import StoryCore

/// A push of a subscription to events.
public enum EventPush: Hashable, Sendable {
    /// The subscription is established, for the first time or again. `log` is the history of the positions from now on:
    /// keep it beside the position that you resume from.
    case subscribed(log: String?)
    /// An event.
    case event(Event)
    /// Everything up to this position was sent; later events are live.
    case caughtUp(UInt64)
    /// This reader is slow: the given number of events of the log wait.
    case behind(UInt64)
}

/// A sequence of events from a position on, oldest first, then live, without end but for that of a temporary ``Store``. Each comes once, in its order: after
/// a lost connection, or when the store ends the subscription, it resumes after the last event that was returned.
///
/// Leaving the loop, or cancelling its task, ends the subscription. A slow reader loses nothing.
public struct EventSubscription: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = any Error

    /// The events together with the other pushes of the subscription.
    public let pushes: EventPushes

    /// The iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: EventPushes.AsyncIterator

        /// Returns the next event; waits until there is one.
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

/// A sequence of the events and the other pushes of a subscription.
public struct EventPushes: AsyncSequence, Sendable {
    public typealias Element = EventPush
    public typealias Failure = any Error

    let dialer: Dialer
    let selection: EventSelection
    let from: LogPoint?
    let types: [String]?
    let tags: [String]?
    let query: EventQuery?
    let log: String?

    /// The iterator over the pushes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: PushStream
        private let subscription: EventPushes
        /// The position to resume from; nil while none is known.
        private var resume: UInt64?
        private var log: String?
        private var isOver = false

        init(_ subscription: EventPushes) {
            self.subscription = subscription
            log = subscription.log
            stream = PushStream(subscription.dialer)
        }

        /// Returns the next push; waits until there is one.
        ///
        /// - Throws: `ClientError`, `diverged` where the store has another history; or `CancellationError`.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> EventPush? {
            guard !isOver else { return nil }
            do {
                while true {
                    let (line, stream) = (request, stream)
                    guard let step = try await stream.next({ line }) else {
                        isOver = true
                        return nil
                    }
                    if let push = try push(step) { return push }
                }
            } catch {
                isOver = true
                throw error
            }
        }

        private var request: RequestLine {
            let from = resume.map(String.init) ?? subscription.from?.option
            return RequestLine(.subscribe, subscription.selection.events).option("from", from)
                .selecting(subscription.types, tags: subscription.tags, subscription.query, log: log)
        }

        private mutating func push(_ step: PushStream.Step) throws(ClientError) -> EventPush? {
            switch step {
            case .subscribed(let name, let end):
                // Without a starting point the subscription begins at the next event, whose position is now known and
                // kept for resuming.
                if resume == nil, subscription.from == nil { advance(to: end) }
                log = name ?? log
                return .subscribed(log: log)
            case .content(let json):
                let event = try Event(json)
                // Events that were returned already are skipped.
                guard event.position >= resume ?? 0 else { return nil }
                advance(to: event.position)
                return .event(event)
            case .caughtUp(let position):
                advance(to: position)
                return .caughtUp(position)
            // Only lists of rows begin again.
            case .again: return nil
            case .behind(let count): return .behind(count)
            case .ended(let position):
                if let position, position > 0 { advance(to: position - 1) }
                return nil
            }
        }

        /// Records that everything up to this position was received.
        private mutating func advance(to position: UInt64) {
            let (following, isTooGreat) = position.addingReportingOverflow(1)
            resume = Swift.max(resume ?? 0, isTooGreat ? position : following)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension StoreClient {
    /// Returns the events from a point on, then live, without end.
    ///
    /// - Parameters:
    ///   - selection: the events to receive.
    ///   - from: a position, at most the one behind the last event, also for one stream; or a moment. Nil: the next
    ///     event.
    ///   - types: only events of these types, 64 at most.
    ///   - tags: only events that have all of these tags, 16 at most, none with a comma.
    ///   - query: only events of this query.
    ///   - log: the history that `from` belongs to; another one is `ClientError.diverged`. Nil: not checked at first,
    ///     but from then on.
    public func events(
        in selection: EventSelection = .all, from: LogPoint? = nil, types: [String]? = nil, tags: [String]? = nil,
        query: EventQuery? = nil, log: String? = nil
    ) -> EventSubscription {
        EventSubscription(
            pushes: EventPushes(
                dialer: dialer, selection: selection, from: from, types: types, tags: tags, query: query, log: log))
    }
}
