import StoryCore
import StoryModels

/// `STREAMS`: a page of streams by name, and how far each is; the page is of one moment.
final class BrowseStreams: AnswerCursor {
    private let query: StreamsQuery
    private let source: QuerySource

    init(_ query: StreamsQuery, in source: QuerySource) {
        self.query = query
        self.source = source
    }

    func step(_ budget: inout Budget, into lines: any AnswerLines) -> CursorStep {
        guard !budget.isSpent else { return .more }
        let world = source.world()
        let before = lines.count
        let found = streams(in: world)
        let page = found.prefix(query.limit)
        for stream in page { lines.row(.stream(stream)) }
        budget.look(at: found.count)
        budget.write(lines.count - before)
        let next = found.count > query.limit ? page.last?.name : nil
        return .ended(.done(.streams(count: page.count, next: next, position: world.head)), restsOn: world.head)
    }

    private func streams(in world: World) -> [StreamSummary] {
        switch query.source {
        case .one(let name):
            StreamsModel.head(of: name, in: world.store).map { [summary(name, $0)] } ?? []
        case .category(let category):
            streams(KeyRange(prefix: category.bytes + [0x2D]), in: world)
        case .all: streams(KeyRange(), in: world)
        }
    }

    /// One stream more than the page has room for, so that it is known whether another page follows.
    private func streams(_ range: KeyRange, in world: World) -> [StreamSummary] {
        var range = range
        if let after = query.after, range.lower.lexicographicallyPrecedes(after.bytes + [0]) {
            range.lower = after.bytes + [0]
        }
        var streams: [StreamSummary] = []
        world.store.scan(.streams, range, .ascending) { key, value in
            if let name = StreamName(key), let head = StreamsModel.Head(value) { streams.append(summary(name, head)) }
            return streams.count <= query.limit
        }
        return streams
    }

    private func summary(_ name: StreamName, _ head: StreamsModel.Head) -> StreamSummary {
        StreamSummary(name: name, version: head.version, position: head.position)
    }
}
