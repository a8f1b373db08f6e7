package import StoryCore
import StoryFold

/// `FIND events…`: plans a search of the index of words, and answers with the events that it found.
enum FindEvents {
    /// Returns the search that answers a query.
    ///
    /// - Throws: `invalid` for events that are not the users' own, `diverged` for another history, or the error of reading
    ///   the log or the models.
    static func search(
        _ query: FindQuery, in world: World, endingAt head: Position, _ identity: LogIdentity
    ) throws(Failure) -> EventSearch {
        let selection = query.read.selection
        if let category = selection.source.category, category.withUnsafeBytes(world.catalogue.isTheStores) {
            let name = category.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            throw Failure.invalid(
                "stream", .notSelected,
                "FIND events has the words of your own events; the category \(name) is the store's")
        }
        let range = try Failure.reading(try ReadRange(selection, in: world, endingAt: head))
        var (lower, upper) = try range.bounds(of: query.read, identity)
        (lower, upper) = try Failure.reading(try range.positions(lower, upper))
        let isEmpty = range.source == .nothing || lower > upper
        return EventSearch(
            query.question, of: selection, in: isEmpty ? nil : Position(lower)...Position(upper), query.read.order,
            limit: query.read.limit, head: head)
    }
}

/// The answer to a `FIND events…`: the events at the positions that a search found.
package final class FoundEvents: AnswerCursor {
    private let search: EventSearch
    private let world: World
    private var positions: ArraySlice<Position>
    /// The position that the search goes on with; nil at its end.
    private let next: Position?
    private var count = 0

    init(_ positions: [Position], next: Position?, of search: EventSearch, in world: World) {
        (self.search, self.world, self.next) = (search, world, next)
        self.positions = positions[...]
    }

    package var keptBytes: Int { 1_024 + 8 * positions.count }

    package func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        try world.log.records(at: Array(positions)) { record in
            guard lines.hasRoom, !lines.isSpent else { return false }
            lines.spend(.record)
            positions.removeFirst()
            // The words of an event that was erased meanwhile are nobody's to know.
            guard record.erased == nil else { return true }
            lines.event(record)
            count += 1
            return true
        }
        guard positions.isEmpty else { return .more }
        return .ended(.done(.read(count: count, next: try nextNumber, position: search.head)), restsOn: .zero)
    }

    /// The `from` that the next request goes on with: a version where one stream is searched.
    private var nextNumber: UInt64? {
        get throws(StorageError) {
            guard let next else { return nil }
            guard case .stream(let name) = search.selection.source else { return next.value }
            guard let head = try world.streams.head(of: name) else { return nil }
            switch search.order {
            case .ascending:
                let version = try world.streams.version(atOrAfter: next, in: head)
                return version <= head.version ? version.value : nil
            case .descending:
                let version = try world.streams.version(atOrAfter: next.next, in: head).value - 1
                return version > 0 ? version : nil
            }
        }
    }
}

extension EventSelection.Source {
    /// The category of the streams; nil for all.
    fileprivate var category: ByteView? {
        switch self {
        case .all: nil
        case .stream(let name): name.spelling.part(0..<name.categoryCount)
        case .category(let name): name.spelling
        }
    }
}

extension Engine {
    /// Returns the answer to a search that found the events at these positions.
    ///
    /// - Parameter next: the position that the search goes on with; nil at its end.
    package func found(_ positions: [Position], next: Position?, of search: EventSearch) -> FoundEvents {
        FoundEvents(positions, next: next, of: search, in: world)
    }
}
