import StoryCore
import StoryFold

/// A collector of the events that an erasure takes, in steps; none is visited twice.
struct ErasureCollecting {
    /// The most records of one step.
    private static let mostRecords = 64

    private(set) var set: ErasureSet
    private let selection: EventSelection
    private let world: World
    /// The first and the last position that may be taken.
    private let bounds: (first: Position, last: Position)
    private var taking: Taking
    /// The last position that was looked at.
    private var looked: Position
    private var cursor: (walk: LogCursor, end: Position)?

    /// - Throws: the error of reading the log or the models.
    init(_ request: EraseRequest, in world: World, _ identity: LogIdentity) throws(Failure) {
        (self.world, set) = (world, ErasureSet(labels: request.labels))
        switch request.target {
        case .events(let query):
            (selection, taking) = (query.selection, .own)
            bounds = try ErasureCollecting.bounds(query, in: world, identity)
        case .row(_, let stream), .user(_, let stream, .profile):
            (selection, taking) = (EventSelection(source: .stream(stream)), .all)
            bounds = (Position(1), .max)
        case .user(let address, let stream, let scope):
            let user = Belongings(of: address, stream, scope: scope, in: world)
            (selection, taking) = (user.selection, .belongings(user))
            bounds = (Position(1), .max)
        }
        looked = bounds.first > .zero ? bounds.first.previous : .zero
    }

    private static func bounds(
        _ query: ReadQuery, in world: World, _ identity: LogIdentity
    ) throws(Failure) -> (first: Position, last: Position) {
        let plan = try ReadEvents.plan(query, in: world, endingAt: world.head, identity)
        var (first, last) = (Position(max(plan.lower, 1)), Position.max)
        if query.to != nil { last = Position(plan.upper) }
        if case .stream(let head) = plan.source {
            first = try Failure.reading(try world.streams.position(of: Version(first.value), in: head)) ?? .max
            if query.to != nil {
                last = try Failure.reading(try world.streams.position(of: Version(last.value), in: head)) ?? .zero
            }
        }
        return (first, last)
    }

    /// Does a step of looking at the events up to a position.
    ///
    /// - Returns: the work, and whether all were looked at.
    /// - Throws: the error of reading the log or the models.
    mutating func step(through end: Position) throws(StorageError) -> (work: Work, isOver: Bool) {
        let last = min(end, bounds.last)
        guard looked < last, !set.isTooLarge else { return (.zero, true) }
        if cursor?.end != last {
            let walk = try LogCursor(
                selection, from: looked.next, through: last, log: world.log, index: world.provenStreams)
            cursor = (walk, last)
        }
        var count = 0
        var failure: StorageError?
        let searching = try cursor?.walk.step(atMost: ErasureCollecting.mostRecords) { [selection] record, _, _ in
            guard count < ErasureCollecting.mostRecords, failure == nil else { return false }
            count += 1
            do throws(StorageError) {
                if selection.matches(record), try taking.has(record, in: world) { set.take(record) }
            } catch {
                failure = error
                return false
            }
            looked = record.position
            return true
        }
        if let failure { throw failure }
        if cursor?.walk.isAtEnd == true { (looked, cursor) = (last, nil) }
        let work = selection.recordWork + taking.recordWork
        return ((searching ?? .zero) + count * work, looked >= last || set.isTooLarge)
    }

}

/// The events of a selection that are taken.
private enum Taking {
    /// Those of the users' own categories.
    case own
    case all
    case belongings(Belongings)

    /// The work of asking for one event.
    var recordWork: Work { if case .belongings = self { .record } else { .zero } }

    mutating func has(_ record: EventRecord, in world: World) throws(StorageError) -> Bool {
        switch self {
        case .own: return world.catalogue.isOwn(record)
        case .all: return true
        case .belongings(var user):
            // Only one value has the sets, so that none is copied.
            self = .all
            defer { self = .belongings(user) }
            return try user.has(record, in: world)
        }
    }
}

/// The streams that belong to a user, found by their first events in the order of the log: deleted rows are in no index.
private struct Belongings {
    private let address: String
    private let stream: StreamName
    private let scope: ErasureScope
    /// The members of a kind's first events that name users, by the kind's number.
    private var members: [Int: [String]] = [:]
    /// The streams that were found.
    private var found: Set<StreamNumber> = []
    /// Whether an erasure took the belongings of this user, by the position of its event.
    private var erasers: [Position: Bool] = [:]
    /// The events among which they are.
    let selection: EventSelection

    init(of address: String, _ stream: StreamName, scope: ErasureScope, in world: World) {
        (self.address, self.stream, self.scope) = (address, stream, scope)
        var items = [EventSelection(source: .stream(stream))]
        for kind in world.catalogue.kinds where kind.program == nil {
            let members = kind.members(of: scope == .all ? [.owner, .receiver] : [.owner])
            guard !members.isEmpty else { continue }
            self.members[kind.number] = members
            items.append(EventSelection(source: .category(kind.categoryName)))
        }
        selection = EventSelection(source: .all, EventQuery(items: items))
    }

    mutating func has(_ record: EventRecord, in world: World) throws(StorageError) -> Bool {
        guard record.version == Version(1) else { return found.contains(record.streamNumber) }
        guard try isFirst(record, in: world) else { return false }
        found.insert(record.streamNumber)
        return true
    }

    /// Returns whether a stream belongs to the user, by its first event.
    private mutating func isFirst(_ record: EventRecord, in world: World) throws(StorageError) -> Bool {
        guard let kind = world.catalogue.kind(stream: record.streamName)?.kind,
            let members = members[Int(kind.number)]
        else { return true }
        if let eraser = record.erased { return try tookBelongings(eraser, in: world) }
        let id = stream.id
        return record.withData(world.json) { data in
            data.contains { member in
                guard case .string(let text) = member.value, members.contains(where: member.name.equals) else {
                    return false
                }
                return id.spelling.withUnsafeBytes { text.equals($0) }
            }
        } ?? false
    }

    /// Returns whether the event at a position erased belongings of this user: its own are all that the content told.
    private mutating func tookBelongings(_ eraser: Position, in world: World) throws(StorageError) -> Bool {
        if let known = erasers[eraser] { return known }
        let erased = try world.erased(at: eraser)
        let took = erased?.target == address && (erased?.scope == .own || erased?.scope == scope)
        erasers[eraser] = took
        return took
    }
}
