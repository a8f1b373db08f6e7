import StoryCore
import StoryFold

/// `STREAMS`: a page of streams by name, each with its version and position; the page shows one moment.
final class BrowseStreams: AnswerCursor {
    private let query: StreamsQuery
    private let engine: Engine

    init(_ query: StreamsQuery, in engine: Engine) {
        self.query = query
        self.engine = engine
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        let head = engine.head
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
            return try engine.world.streams.head(of: name).map { [summary(name, $0)] } ?? []
        case .category(let category):
            return try streams(beginningWith: category.bytes + [0x2D])
        case .all: return try streams(beginningWith: [])
        }
    }

    /// Returns up to one stream more than the page has room for, to know whether another page follows.
    private func streams(beginningWith prefix: [UInt8]) throws(StorageError) -> [StreamSummary] {
        var streams: [StreamSummary] = []
        let walk = IndexWalk(
            store: engine.world.store, table: StreamTables.streams, lower: prefix, upper: prefix.prefixEnd)
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
