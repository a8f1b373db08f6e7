/// The subject of a subscription: events or rows.
package enum Subject: Equatable, Sendable {
    /// Events as they are in the log.
    case events
    /// The records of all events, byte for byte, for a replica.
    case records
    /// Events of a cursor, as a worker does them.
    case work(Holding)
    /// One row, in its current state and after each change.
    case row(Kind, RowKey)
    /// The rows of a kind that pass all conditions: first the current ones, then each that enters, changes or leaves.
    case list(Kind, [Condition])

    /// The kind of the rows; nil for events.
    package var kind: Kind? {
        switch self {
        case .events, .records, .work: nil
        case .row(let kind, _), .list(let kind, _): kind
        }
    }

    /// Returns the same rows of another schema; nil where it has no such keys or filters.
    package func moved(from old: KindSchema, to new: KindSchema) -> Subject? {
        switch self {
        case .events, .records, .work: return nil
        case .row(_, let key): return old.keys == new.keys ? .row(new.kind, key) : nil
        case .list(_, let conditions):
            var moved: [Condition] = []
            for condition in conditions {
                let filter = old.filters[condition.filter]
                guard let index = new.filters.firstIndex(where: { $0.name == filter.name }),
                    new.filterShapes[index] == old.filterShapes[condition.filter]
                else { return nil }
                moved.append(Condition(index, condition.value))
            }
            return .list(new.kind, moved)
        }
    }

    /// The share of a cursor that is held; nil where none is.
    package var holding: Holding? { if case .work(let holding) = self { holding } else { nil } }

    /// True when events or their records are followed instead of rows.
    package var isEvents: Bool {
        switch self {
        case .events, .records, .work: true
        case .row, .list: false
        }
    }
}

/// A subscription: a cursor into the log, and the state of its reader.
///
/// Catch-up and live are one sequence, because there is only this cursor: it continues from its position, independent
/// of the writer. A subscription to rows first lists the current ones, then follows the events that touch them.
package struct Subscription: Equatable, Sendable {
    /// The phase of a subscription.
    package enum Phase: Equatable, Sendable {
        /// Listing the current rows after this key of their index; nil means from the first.
        case listing(after: [UInt8]?)
        /// Reading earlier events from the log.
        case catchingUp
        /// At the head: the next commit is pushed at once.
        case live
        /// Formerly live; its reader has no room for the newer events.
        case behind
        /// Sent nothing: the kind of its rows was replaced or removed by an event that is not durable yet.
        case held
    }

    /// The next action for the subscriber.
    package enum Step: Equatable, Sendable {
        /// Do nothing until the next commit, or until the reader has room.
        case wait
        /// List current rows after this key of their index; nil means from the first.
        case list(after: [UInt8]?)
        /// Report that everything through this position was sent.
        case sayCaughtUp(Position)
        /// Report the number of events that wait.
        case sayBehind(UInt64)
        /// Send the matching events in this range.
        case send(from: Position, through: Position)
    }

    /// The ID within the connection.
    package let id: SubscriptionID
    /// The events to push, or those that touch the rows to push.
    package let selection: EventSelection
    /// The subject: events or rows.
    package let subject: Subject
    /// The first position that is not yet processed, where a new subscription would resume.
    package private(set) var next: Position
    /// The current phase.
    package private(set) var phase: Phase
    /// The part of the change feed that is being taken; nil for events, and before the list begins.
    package var feed: FeedRange?
    /// The size of its selection and its subject, in bytes.
    let filterBytes: Int
    /// The backlog, in events, at which a stalled reader falls behind, even where there is room.
    private static let minBehind: UInt64 = 1_024

    /// Creates a subscription whose first position is `next`.
    package init(
        id: SubscriptionID, selection: EventSelection, subject: Subject = .events, from next: Position
    ) {
        self.id = id
        self.selection = selection
        self.subject = subject
        self.next = next
        filterBytes = selection.keptBytes + subject.keptBytes
        phase = subject.isEvents ? .catchingUp : .listing(after: nil)
    }

    /// Returns the number of events from the cursor through the head.
    package func lag(head: Position) -> UInt64 { head < next ? 0 : head.value - next.value + 1 }

    /// Returns true when there is something to send once the reader has room.
    package func isWanting(head: Position) -> Bool {
        switch phase {
        case .listing: true
        case .catchingUp, .live, .behind:
            lag(head: head) > 0 && subject.holding.map { $0.isFull || $0.isStalled } != true
        case .held: false
        }
    }

    /// Returns the next action, and moves to the phase that it begins.
    package mutating func step(head: Position, hasRoom: Bool) -> Step {
        if case .listing(let key) = phase {
            guard hasRoom else { return .wait }
            return .list(after: key)
        }
        if case .held = phase { return .wait }
        guard next <= head else {
            guard phase != .live, hasRoom else { return .wait }
            phase = .live
            return .sayCaughtUp(head)
        }
        guard hasRoom else {
            if phase == .live { phase = .behind }
            return .wait
        }
        if phase == .behind {
            phase = .catchingUp
            return .sayBehind(lag(head: head))
        }
        return .send(from: next, through: head)
    }

    /// Falls behind if the backlog is large, since the reader has not read the earlier output.
    package mutating func readerStandsStill(head: Position) {
        if phase == .live, lag(head: head) >= Subscription.minBehind { phase = .behind }
    }

    /// Records that the events through a position were processed, and the matching ones sent.
    package mutating func sent(through position: Position) {
        next = max(next, position.next)
    }

    /// Returns true when it was sent everything, and an event's stream or category decides whether it concerns it.
    package func hasAll(through head: Position) -> Bool {
        phase == .live && next == head.next && selection.source != .all && subject.holding == nil
    }

    /// The position that a new subscription goes on from: behind the events that are done, where it is a worker's.
    package var resume: Position { subject.holding.flatMap { $0.isWaiting ? nil : $0.at.next } ?? next }

    /// Processes the events from a position on a further time.
    package mutating func goesBack(to position: Position) { next = position }

    /// Returns the same subscription after no event through a position concerned it.
    package func rested(through position: Position) -> Subscription {
        var rested = self
        rested.sent(through: position)
        return rested
    }

    // MARK: Rows

    /// Records that the rows through this key of their index were listed.
    package mutating func listed(through key: [UInt8]) {
        if case .listing = phase { phase = .listing(after: key) }
    }

    /// Starts catching up, since all rows were listed.
    package mutating func listingEnded() {
        if case .listing = phase { phase = .catchingUp }
    }

    /// Starts to list again, since changes that it has not taken are no longer in the feed.
    package mutating func listsAgain() {
        phase = .listing(after: nil)
        feed = nil
    }

    /// Sends nothing from now on.
    package mutating func hold() { phase = .held }

    /// Returns true when rows with this key of the index were listed.
    package func hasListed(_ key: [UInt8]) -> Bool {
        guard case .listing(let listed) = phase else { return true }
        return listed.map { !$0.precedes(key) } ?? false
    }
}

/// The changes of the feed that a subscription takes at a time, by their numbers: of each row it takes the last one.
package struct FeedRange: Equatable, Sendable {
    /// The first change.
    package let start: UInt64
    /// The next change to take.
    package var next: UInt64
    /// The end, which is behind the last change.
    package let end: UInt64

    /// Creates a range of which nothing was taken.
    package init(from start: UInt64, to end: UInt64) {
        self.start = start
        next = start
        self.end = end
    }

    /// True when everything was taken.
    package var isTaken: Bool { next >= end }
}

/// The memory of subscriptions, for the account of the memory of all clients.
extension Subscription {
    /// The size of every subscription with some spare capacity of its arrays, in bytes.
    private static let own = MemoryLayout<Subscription>.stride + 64
    /// The additional size of an idle subscription, in bytes: its entries in tables.
    package static let restingBytes = 256

    /// The approximate size in bytes, with its filters.
    package var keptBytes: Int { Subscription.own + filterBytes }
}

/// The overhead of an allocation, in bytes.
private let allocation = 48

extension EventSelection {
    /// The size of its names, in bytes.
    package var keptBytes: Int {
        let name =
            switch source {
            case .all: 0
            case .stream(let stream): allocation + stream.bytes.count
            case .category(let category): allocation + category.bytes.count
            }
        let types = query.types.reduce(name) { $0 + EventSelection.size(of: $1.spelling) }
        let tags = query.tags.reduce(types) { $0 + EventSelection.size(of: $1.spelling) }
        return query.items.reduce(tags) { $0 + MemoryLayout<EventSelection>.stride + $1.keptBytes }
    }

    private static func size(of name: ByteView) -> Int { MemoryLayout<ByteView>.stride + allocation + name.count }
}

extension Subject {
    /// The size of its names and values, in bytes.
    var keptBytes: Int {
        switch self {
        case .events, .records: 0
        case .work(let holding): Holding.keptBytes + 16 * holding.window
        case .row(_, let key): allocation + key.spelling.count
        case .list(_, let conditions):
            conditions.reduce(0) { $0 + MemoryLayout<Condition>.stride + $1.value.keptBytes }
        }
    }
}

extension FilterValue {
    fileprivate var keptBytes: Int {
        switch self {
        case .name(let bytes), .folded(let bytes), .text(let bytes): allocation + bytes.count
        case .pair(let one, let other): 2 * allocation + one.count + other.count
        case .integer, .number, .decimal, .date, .flag, .fraction, .choice: 0
        }
    }
}
