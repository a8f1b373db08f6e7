package import StoryCore
import StoryFold

/// A walk over the events that may break some preconditions, one after the other, in steps.
///
/// An item of types alone is asked for the last event of each type first: most have none after the position.
struct PreconditionWalk {
    /// The result of the last step.
    enum Result: Equatable {
        /// There is more to do.
        case more
        /// No event up to the end breaks a precondition.
        case holds
        /// The first event that breaks the precondition with this index; those before it hold up to the end.
        case broken(Int, EventMatch)
    }

    /// The most records of one step.
    private static let mostRecords = 64

    private let preconditions: [EventPrecondition]
    private let end: Position
    private let world: World
    /// The one that is walked.
    private var index = 0
    /// The number of its items that were asked for the last events of their types.
    private var asked = 0
    /// The items that may have an event after the position of the precondition.
    private var open: [EventSelection] = []
    /// The walk through the events of the open items; nil before it begins.
    private var walk: (selection: EventSelection, cursor: LogCursor)?

    /// Creates a walk over the events up to a position.
    ///
    /// - Parameter preconditions: each with the last position that need not be looked at.
    init(_ preconditions: [EventPrecondition], through end: Position, in world: World) {
        (self.preconditions, self.end, self.world) = (preconditions, end, world)
    }

    /// Does a step; returns its result and its work.
    ///
    /// - Throws: the error of reading the log or the models.
    mutating func step() throws(StorageError) -> (Result, Work) {
        while index < preconditions.count, preconditions[index].after >= end { index += 1 }
        guard index < preconditions.count else { return (.holds, .zero) }
        let precondition = preconditions[index]
        guard asked == precondition.query.items.count else { return (.more, try ask(precondition)) }
        guard !open.isEmpty else { return (next(), .zero) }
        var work = Work.zero
        if walk == nil {
            let selection = EventSelection(source: .all, EventQuery(items: open))
            let cursor = try LogCursor(
                selection, from: precondition.after.next, through: end, log: world.log, index: world.provenStreams)
            walk = (selection, cursor)
            work = open.count * .search
        }
        guard let selection = walk?.selection else { return (.more, work) }
        var match: EventMatch?
        var count = 0
        let searching = try walk?.cursor.step(atMost: PreconditionWalk.mostRecords) { record, _, _ in
            guard count < PreconditionWalk.mostRecords else { return false }
            count += 1
            if selection.matches(record) { match = EventMatch(record) }
            return match == nil
        }
        work += (searching ?? .zero) + count * selection.recordWork
        if let match { return (.broken(index, match), work) }
        return (walk?.cursor.isAtEnd == true ? next() : .more, work)
    }

    /// Goes on to the next one, if there is one.
    private mutating func next() -> Result {
        index += 1
        (asked, open, walk) = (0, [], nil)
        return index < preconditions.count ? .more : .holds
    }

    /// Asks an item for the last events of its types; it is open where one is after the position of the precondition.
    private mutating func ask(_ precondition: EventPrecondition) throws(StorageError) -> Work {
        let item = precondition.query.items[asked]
        asked += 1
        var searches = 0
        var isOpen = item.query.types.isEmpty
        for type in item.query.types where !isOpen {
            searches += 1
            let tally = try world.provenTypes.tally(of: type, in: item.category)
            if let last = tally?.last { isOpen = last > precondition.after }
        }
        if isOpen { open.append(item) }
        return searches * .search
    }
}

extension EventSelection {
    /// The category that all of its events are in; nil where they may be in several.
    fileprivate var category: CategoryName? {
        switch source {
        case .all: nil
        case .stream(let stream): stream.category
        case .category(let category): category
        }
    }
}

extension EventMatch {
    /// Creates a match with the event of a record.
    package init(_ record: EventRecord) {
        let type = UnsafeRawBufferPointer(rebasing: record.json[record.type])
        self.init(
            position: record.position, stream: record.keptStream, type: EventType(trusted: ByteView(copying: type)))
    }
}
