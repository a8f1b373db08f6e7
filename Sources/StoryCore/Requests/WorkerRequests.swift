/// The request `CURSOR NAME {…}`: makes a cursor, or changes what may be changed.
package struct CursorRequest: Equatable, Sendable {
    /// The name of the cursor.
    package let name: Identifier
    /// The definition.
    package let definition: CursorDefinition
    /// `key=`: makes the request idempotent for ever.
    package let key: RequestKey?
    /// `version=`: the version that the cursor's stream must have.
    package let version: Version?

    /// Creates a request from its parts.
    package init(name: Identifier, definition: CursorDefinition, key: RequestKey? = nil, version: Version? = nil) {
        (self.name, self.definition, self.key, self.version) = (name, definition, key, version)
    }
}

/// The request `WORK NAME`: holds a share of a cursor, and has its events delivered.
package struct WorkRequest: Equatable, Sendable {
    /// The name of the cursor.
    package let cursor: Identifier
    /// `share=`: the number of the share; nil: any that nobody holds.
    package let share: UInt8?
    /// `wait=true`: waits for a share where none is free.
    package let waits: Bool
    /// `log=`: the history that the worker knows; confirms a cursor that was held in another one last.
    package let log: LogID?

    /// Creates a request from its parts.
    package init(cursor: Identifier, share: UInt8? = nil, waits: Bool = false, log: LogID? = nil) {
        (self.cursor, self.share, self.waits, self.log) = (cursor, share, waits, log)
    }
}

/// The request `FAIL NAME@POSITION`: the first event that is not done failed.
package struct FailRequest: Equatable, Sendable {
    /// The possible delays, in milliseconds.
    package static let delays = 0...3_600_000

    /// The event.
    package let mark: CursorMark
    /// `delay=`: the time before it comes again, in milliseconds; nil for one that grows with each attempt.
    package let delay: Int?
    /// `park=true`: sets the event aside at once.
    package let parks: Bool
    /// `error=`: for whoever looks at parked events.
    package let error: Text?

    /// Creates a request from its parts.
    package init(_ mark: CursorMark, delay: Int? = nil, parks: Bool = false, error: Text? = nil) {
        (self.mark, self.delay, self.parks, self.error) = (mark, delay, parks, error)
    }

    /// Returns the delay of an event that failed so often, in milliseconds: 200 · 4ⁿ, at most 30 s.
    package static func delay(after attempts: Int) -> Int {
        var delay = 200
        for _ in 1..<max(attempts, 1) where delay < 30_000 { delay *= 4 }
        return min(delay, 30_000)
    }
}

/// The request `RETRY NAME[@POSITION]`: has parked events delivered again.
package struct RetryRequest: Equatable, Sendable {
    /// The name of the cursor.
    package let cursor: Identifier
    /// The event; nil for all that are parked.
    package let event: Position?

    /// Creates a request from its parts.
    package init(cursor: Identifier, event: Position?) { (self.cursor, self.event) = (cursor, event) }
}

/// The request `DISCARD NAME@POSITION`: gives a parked event up.
package struct DiscardRequest: Equatable, Sendable {
    /// The greatest length of a reason, in characters.
    package static let mostReason = EraseRequest.mostReason

    /// The event.
    package let mark: CursorMark
    /// `reason=`: stays for ever.
    package let reason: Text

    /// Creates a request from its parts.
    package init(_ mark: CursorMark, reason: Text) { (self.mark, self.reason) = (mark, reason) }
}

/// The request `RESET NAME to=…`: all shares of a cursor begin again behind a position.
package struct ResetRequest: Equatable, Sendable {
    /// The end of the events that are done then, in all shares.
    package enum Place: Equatable, Sendable {
        /// Nothing is done.
        case start
        /// Everything that is durable is done.
        case end
        case position(Position)
    }

    /// The name of the cursor.
    package let cursor: Identifier
    /// `to=`: the end of the events that are done then.
    package let place: Place

    /// Creates a request from its parts.
    package init(cursor: Identifier, to place: Place) { (self.cursor, self.place) = (cursor, place) }
}

/// The query of `PARKED NAME …`, whose answer is in the order of the log.
package struct ParkedQuery: Equatable, Sendable {
    /// The maximum `limit=`, in events.
    package static let maxLimit = 1_000
    /// The number of events where the request names none.
    package static let defaultLimit = 50

    /// The name of the cursor.
    package let cursor: Identifier
    /// The position after which the list begins; zero means from the first.
    package let after: Position
    /// The maximum number of events in the answer.
    package let limit: Int

    /// Creates a query from its parts.
    package init(cursor: Identifier, after: Position = .zero, limit: Int = ParkedQuery.defaultLimit) {
        (self.cursor, self.after, self.limit) = (cursor, after, limit)
    }
}
