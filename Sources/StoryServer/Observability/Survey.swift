import StoryCore
import StoryEngine
import StoryReactor

/// An answer that looks at every connection, a few at a time, and then tells the daemon's figures.
///
/// The figures rest on the last event that is folded when they are told.
final class Survey: AnswerCursor {
    /// What is told at the end.
    enum Purpose {
        case report, metrics
    }

    private let purpose: Purpose
    private let connections: Connections
    private let publishing: Publishing
    private let source: (ConnectionSums) -> FigureSource
    private var walk: ConnectionWalk
    private var sums = ConnectionSums()

    init(
        _ purpose: Purpose, _ connections: Connections, _ publishing: Publishing,
        _ source: @escaping (ConnectionSums) -> FigureSource
    ) {
        self.purpose = purpose
        self.connections = connections
        self.publishing = publishing
        self.source = source
        walk = ConnectionWalk(connections.all.map(\.id))
    }

    var isShort: Bool { true }

    func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while let connection = walk.next(of: connections) {
            budget.look(at: 1 + connection.session.active.count / 16)
            sums.add(connection, published: publishing.published)
            if budget.isSpent { return .more }
        }
        let source = source(sums)
        let head = source.head
        switch purpose {
        case .report: return .ended(.done(.members(Stats(source).report)), restsOn: head)
        case .metrics:
            let before = lines.count
            for figure in FigureTable.all {
                let text = Metrics.text(of: figure, source)
                lines.row(.line([Member("family", .text(figure.name)), Member("text", .text(text))]))
            }
            budget.write(lines.count - before)
            let done = [
                Member("families", .count(UInt64(FigureTable.all.count))), Member("position", .count(head.value)),
            ]
            return .ended(.done(.members(done)), restsOn: head)
        }
    }
}

/// The connections that there were at one moment, one after the other, as far as they are still there.
struct ConnectionWalk {
    private let ids: [ConnectionID]
    private var index = 0

    init(_ ids: [ConnectionID]) { self.ids = ids }

    /// The next one; nil after the last.
    mutating func next(of connections: Connections) -> Connection? {
        while index < ids.count {
            defer { index += 1 }
            if let connection = connections[ids[index]] { return connection }
        }
        return nil
    }
}
