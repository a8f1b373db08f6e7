import StoryCore
import StoryModels

/// `STREAMS`: the streams by name, and how far each is.
enum BrowseStreams {
    static func page(_ query: StreamsQuery, in world: World) -> [Reply] {
        var found: [StreamSummary] = []
        if case .one(let name) = query.source {
            found = StreamsModel.head(of: name, in: world.store).map { [summary(name, $0)] } ?? []
        } else {
            found = streams(query, in: world)
        }
        let page = found.prefix(query.limit)
        let next = found.count > query.limit ? page.last?.name : nil
        return page.map(Reply.stream) + [.done(.streams(count: page.count, next: next, position: world.head))]
    }

    /// One stream more than the page has room for, so that it is known whether another page follows.
    private static func streams(_ query: StreamsQuery, in world: World) -> [StreamSummary] {
        var range = KeyRange()
        if case .category(let category) = query.source { range = KeyRange(prefix: category.bytes + [0x2D]) }
        if let after = query.after { range.lower = max(range.lower, after.bytes + [0]) }
        var streams: [StreamSummary] = []
        world.store.scan(.streams, range, .ascending) { key, value in
            if let name = StreamName(key), let head = StreamsModel.Head(value) { streams.append(summary(name, head)) }
            return streams.count <= query.limit
        }
        return streams
    }

    private static func max(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        left.lexicographicallyPrecedes(right) ? right : left
    }

    private static func summary(_ name: StreamName, _ head: StreamsModel.Head) -> StreamSummary {
        StreamSummary(name: name, version: head.version, position: head.position)
    }
}
