import StoryCore
import StoryFold

/// `STREAMS`: a page of streams by name, each with its version and position; the page shows one moment.
final class BrowseStreams: AnswerCursor {
    private let query: StreamsQuery
    private let world: World

    init(_ query: StreamsQuery, in world: World) {
        self.query = query
        self.world = world
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        let head = world.head
        let found = try streams()
        let page = found.prefix(query.limit)
        for stream in page { lines.row(.stream(stream)) }
        lines.spend(found.count * .record)
        let next = found.count > query.limit ? page.last?.name : nil
        return .ended(.done(.streams(count: page.count, next: next, position: head)), restsOn: head)
    }

    private func streams() throws(StorageError) -> [StreamSummary] {
        switch query.source {
        case .stream(let name):
            if let after = query.after, !after.bytes.precedes(name.bytes) { return [] }
            return try world.streams.head(of: name).map { [summary(name, $0)] } ?? []
        case .category(let category):
            return try streams(beginningWith: category.bytes + [0x2D])
        case .all: return try streams(beginningWith: [])
        }
    }

    /// Returns up to one stream more than the page has room for, to know whether another page follows.
    private func streams(beginningWith prefix: [UInt8]) throws(StorageError) -> [StreamSummary] {
        var streams: [StreamSummary] = []
        let walk = IndexWalk(
            store: world.store, table: StreamTables.streams, lower: prefix, upper: prefix.prefixEnd)
        try walk.entries(.ascending, after: query.after?.bytes) { key, value in
            if let name = StreamName(key), let head = StreamHead(value) { streams.append(summary(name, head)) }
            return streams.count <= query.limit
        }
        return streams
    }

    private func summary(_ name: StreamName, _ head: StreamHead) -> StreamSummary {
        StreamSummary(name: name, version: head.version, position: head.position)
    }
}

/// `TYPES`: a page of the types of events by name, each with the number of its events and the first and last of them;
/// the page shows one moment.
final class BrowseTypes: AnswerCursor {
    private let query: TypesQuery
    private let world: World

    init(_ query: TypesQuery, in world: World) {
        self.query = query
        self.world = world
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        let head = world.head
        var (count, last, next) = (0, EventType?.none, EventType?.none)
        try world.types.walk(query.category, after: query.after) { type, tally in
            guard count < query.limit else {
                next = last
                return false
            }
            lines.row(.line(BrowseTypes.members(type, tally)))
            (count, last) = (count + 1, type)
            return true
        }
        lines.spend(count * .record)
        var members = [Member("count", .count(UInt64(count)))]
        if let next { members.append(Member("next", .text(next.description))) }
        members.append(Member("position", .count(head.value)))
        return .ended(.done(.members(members)), restsOn: head)
    }

    private static func members(_ type: EventType, _ tally: TypeTally) -> [Member] {
        [
            Member("type", .text(type.description)), Member("count", .count(tally.count)),
            Member("first", .count(tally.first.value)), Member("last", .count(tally.last.value)),
        ]
    }
}
