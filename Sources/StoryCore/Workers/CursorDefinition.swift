/// The definition of a worker's cursor: the events that its holder gets, and how it gets them.
package struct CursorDefinition: Equatable, Sendable {
    /// The start of a new cursor.
    package enum Start: Equatable, Sendable {
        /// The first event at or after this position.
        case position(Position)
        /// The first event after those that are durable when the cursor is made.
        case end
    }

    /// The most cursors of a store.
    package static let mostCursors = 1_000
    /// The possible windows, in events.
    package static let windows = 1...1_000
    /// The greatest size of the events of a window beside the first, in bytes.
    package static let windowBytes = 1 << 20
    /// The possible leases, in milliseconds.
    package static let leases = 1_000...3_600_000
    /// The possible numbers of deliveries before an event is parked; 0 means that none is.
    package static let attempts = 0...100
    /// The possible numbers of shares, and of a share.
    package static let shares = 1...64

    /// The events that are delivered, beside those of cursors, which never are.
    package var selection: EventSelection
    /// The start, as the request named it.
    package var start: Start
    /// The number of shares, each of which has the streams whose names hash to it.
    package var shareCount: Int
    /// The number of events that may be delivered and not done.
    package var window: Int
    /// The time without a line of the holder after which it loses a share with events that are not done, in milliseconds.
    package var lease: Int
    /// The number of deliveries of an event before it is parked; 0 means that none is.
    package var attempts: Int

    /// Creates a definition, by default of all events from the first on.
    package init(
        selection: EventSelection = EventSelection(source: .all), start: Start = .position(Position(1)),
        shareCount: Int = 1, window: Int = 100, lease: Int = 30_000, attempts: Int = 5
    ) {
        (self.selection, self.start, self.shareCount) = (selection, start, shareCount)
        (self.window, self.lease, self.attempts) = (window, lease, attempts)
    }

    /// Returns the name of the first member that a definition has otherwise and that cannot be changed; nil where none is.
    package func fixedDifference(from other: CursorDefinition) -> String? {
        let (one, two) = (selection.query, other.selection.query)
        if selection.source != other.selection.source { return "on" }
        if one.tags != two.tags { return "tags" }
        if one.types != two.types { return "types" }
        if one.items != two.items { return "query" }
        if shareCount != other.shareCount { return "shares" }
        return start == other.start ? nil : "from"
    }
}

extension EventSelection.Source {
    /// The events as a request names them: `events`, `events/order-7` or `events/order-*`.
    package var target: String {
        switch self {
        case .all: "events"
        case .stream(let stream): "events/\(stream)"
        case .category(let category): "events/\(category)-*"
        }
    }
}
