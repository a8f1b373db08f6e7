import StoryCore
import StoryFold

/// `READ misfits/NAME`: the newest events that did not fit a declared model, in steps.
final class ReadMisfits: AnswerCursor {
    private let query: MisfitsQuery
    private let lines: [Substring]
    private let misfits: MisfitTable
    private let isServed: () -> Bool
    private let world: World
    /// The last event that was durable when the request was handled: later ones may be undone between two steps.
    private let durable: Position
    private var next: Position?
    private var count = 0

    /// - Parameters:
    ///   - text: the text of the definition that answers.
    ///   - store: its tables.
    ///   - isServed: returns false once that definition answers no more.
    ///   - durable: the last durable event.
    init(
        _ query: MisfitsQuery, of text: [UInt8], _ store: any TableStore, _ isServed: @escaping () -> Bool,
        in world: World, durable: Position
    ) {
        self.query = query
        self.isServed = isServed
        self.world = world
        self.durable = durable
        misfits = MisfitTable(store)
        lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        next = query.order == .ascending ? query.from : min(query.from ?? durable, durable)
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        let head = world.head
        guard isServed() else { return .ended(.failed(.removedKind), restsOn: head) }
        while count < query.limit {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            guard let misfit = try misfits.first(from: next, query.order) else { return try ended(nil, head) }
            guard misfit.position <= durable else { return try ended(misfit.position, head) }
            lines.row(.line(try members(of: misfit)))
            lines.spend(.row)
            count += 1
            next = query.order == .ascending ? misfit.position.next : misfit.position.previous
            if query.order == .descending, misfit.position <= Position(1) { return try ended(nil, head) }
        }
        return try ended(try misfits.first(from: next, query.order)?.position, head)
    }

    private func ended(_ next: Position?, _ head: Position) throws(StorageError) -> CursorStep {
        var members = [Member("count", .count(UInt64(count))), Member("total", .count(try misfits.total()))]
        if let next { members.append(Member("next", .count(next.value))) }
        members.append(Member("position", .count(head.value)))
        return .ended(.done(.members(members)), restsOn: head)
    }

    private func members(of misfit: MisfitTable.NotedMisfit) throws(StorageError) -> [Member] {
        var members = [
            Member("position", .count(misfit.position.value)), Member("line", .count(UInt64(misfit.line))),
            Member("rule", .text(misfit.rule.rawValue)),
        ]
        if lines.indices.contains(misfit.line - 1) {
            let statement = lines[misfit.line - 1].split(separator: "//", omittingEmptySubsequences: false).first ?? ""
            members.append(Member("statement", .text(statement.trimmed)))
        }
        try world.log.records(at: [misfit.position]) { record in
            if record.erased == nil { members.append(Member("event", .json(Array(record.json)))) }
            return false
        }
        return members
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
