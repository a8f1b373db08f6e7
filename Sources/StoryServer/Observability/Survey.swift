import StoryCore
import StoryEngine
import StoryReactor

/// An answer that visits every connection, a few per step, and then reports the daemon's figures.
///
/// The answer waits for no commit, so that it reports one that hangs.
final class Survey: AnswerCursor {
    /// The kind of report at the end.
    enum Purpose {
        case report, metrics
    }

    private let purpose: Purpose
    private let connections: Connections
    private let publishing: PushScheduler
    private let source: (ConnectionSums) -> FigureSource
    private var walk: ConnectionWalk
    private var sums = ConnectionSums()

    init(
        _ purpose: Purpose, _ connections: Connections, _ publishing: PushScheduler,
        _ source: @escaping (ConnectionSums) -> FigureSource
    ) {
        (self.purpose, self.connections, self.publishing, self.source) = (purpose, connections, publishing, source)
        walk = ConnectionWalk(connections.all.map(\.id))
    }

    var isShort: Bool { true }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while let connection = walk.next(of: connections) {
            lines.spend(.record + (connection.conversation?.session.active.count ?? 0) * .link)
            sums.add(connection, published: publishing.published)
            if lines.isSpent { return .more }
        }
        let source = source(sums)
        switch purpose {
        case .report: return .ended(.done(.members(Stats(source).report)), restsOn: .zero)
        case .metrics:
            for figure in FigureTable.all {
                let text = Metrics.text(of: figure, source)
                lines.row(.line([Member("family", .text(figure.name)), Member("text", .text(text))]))
            }
            let done = [
                Member("families", .count(UInt64(FigureTable.all.count))),
                Member("position", .count(source.position.value)),
            ]
            return .ended(.done(.members(done)), restsOn: .zero)
        }
    }
}

/// An iterator over the connections of one moment; those that were closed since are skipped.
struct ConnectionWalk {
    private let ids: [ConnectionID]
    private var index = 0

    init(_ ids: [ConnectionID]) { self.ids = ids }

    var isEmpty: Bool { ids.isEmpty }

    /// Returns the next connection; nil after the last.
    mutating func next(of connections: Connections) -> Connection? {
        while index < ids.count {
            defer { index += 1 }
            if let connection = connections[ids[index]] { return connection }
        }
        return nil
    }
}
