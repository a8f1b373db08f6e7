import StoryCore
import StoryModels

/// `READ`: which events answer it; the shell copies them from the log.
enum ReadEvents {
    /// - Throws: `diverged` in another history, or why log or models cannot be read.
    static func plan(_ query: ReadQuery, in world: World) throws(Failure) -> ReadPlan {
        let range = try Failure.reading { () throws(StorageError) in
            try ReadRange(query.selection.source, in: world)
        }
        // `from` is where reading begins and `to` where it ends, whichever way it goes.
        let isAscending = query.order == .ascending
        let (lower, upper) = try isAscending ? range.bounds(query.from, query.to) : range.bounds(query.to, query.from)
        if let log = query.log {
            // Downwards the event that it begins with has to be that of both histories, also where there is none here.
            var next = isAscending ? lower : upper + 1
            if !isAscending, case .number(let number) = query.from { next = number + 1 }
            try world.identity.check(log, next: try range.position(of: next))
        }
        return ReadPlan(
            source: range.source, lower: lower, upper: upper, order: query.order, limit: query.limit,
            types: query.selection.types, head: world.head)
    }
}

/// What a reading can reach: the numbers that it counts in, from 1 to the last one there is.
private struct ReadRange {
    let source: ReadPlan.Source
    /// The last version of a stream, or the last position.
    private let last: UInt64
    private let world: World
    /// One stream is read by its versions; nil where it does not exist.
    private let stream: StreamHead?
    private let countsVersions: Bool

    /// - Throws: what reading the models failed with.
    init(_ source: EventSelection.Source, in world: World) throws(StorageError) {
        self.world = world
        countsVersions = if case .stream = source { true } else { false }
        switch source {
        case .all: (self.source, last, stream) = (.all, world.head.value, nil)
        case .stream(let name):
            stream = try world.models.streams.head(of: name)
            last = stream?.version.value ?? 0
            self.source = stream.map { .stream($0) } ?? .nothing
        case .category(let name):
            stream = nil
            let number = try world.models.streams.number(of: name)
            last = number == nil ? 0 : world.head.value
            self.source = number.map { .category($0) } ?? .nothing
        }
    }

    /// The smallest and the greatest number that may be read; there is none where the first is greater.
    func bounds(_ lower: ReadBound?, _ upper: ReadBound?) throws(Failure) -> (lower: UInt64, upper: UInt64) {
        let first =
            switch lower {
            case nil: UInt64(1)
            case .number(let number): number
            case .time(let time): try number(at: world.firstPosition(notBefore: time))
            }
        let end =
            switch upper {
            case nil: last
            case .number(let number): number
            // What stands before the first number after that time.
            case .time(let time): try number(at: world.lastPosition(notAfter: time).next) - 1
            }
        return (first, min(end, last))
    }

    /// The number of the first event at a position or after it; one past the last where there is none.
    private func number(at position: Position) throws(Failure) -> UInt64 {
        guard let stream else { return source == .nothing ? 1 : position.value }
        return try Failure.reading { () throws(StorageError) in
            try world.models.streams.version(atOrAfter: position, in: stream).value
        }
    }

    /// The position that has to be shared up to for a reading from this number on to be one of that history.
    ///
    /// In a stream it is the one right after the event before: whoever asks for the next version holds that event.
    func position(of number: UInt64) throws(Failure) -> Position {
        guard countsVersions else { return Position(number) }
        guard number > 1 else { return Position(1) }
        let past = world.head.next.next
        guard let stream else { return past }
        return try Failure.reading { () throws(StorageError) in
            try world.models.streams.position(of: Version(number - 1), in: stream)?.next ?? past
        }
    }
}
