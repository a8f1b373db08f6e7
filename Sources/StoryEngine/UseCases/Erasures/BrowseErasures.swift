import StoryCore
import StoryFold

/// `ERASURES`: a page of the erasures in their order.
final class BrowseErasures: AnswerCursor {
    private let query: ErasuresQuery
    private let world: World
    /// The last event that was durable when the request was handled: later ones may be undone between two steps.
    private let durable: Position
    private var next = Position(1)
    private var count = 0
    /// The number of the last erasure that was looked at: its further events make no row.
    private var last: UInt64

    init(_ query: ErasuresQuery, in world: World, durable: Position) {
        (self.query, self.world, self.durable, last) = (query, world, durable, query.after)
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard let category = try world.streams.number(of: ErasureEvent.category) else { return ended(isMore: false) }
        while true {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            var position: Position?
            try world.streams.scanCategory(category, from: next, through: durable, .ascending) {
                position = $0
                return false
            }
            lines.spend(.record)
            guard let position else { return ended(isMore: false) }
            next = position.next
            guard let erased = try world.erased(at: position), erased.number > last else { continue }
            guard count < query.limit else { return ended(isMore: true) }
            lines.row(.line(try world.members(of: erased)))
            lines.spend(2 * .record)
            (last, count) = (erased.number, count + 1)
        }
    }

    private func ended(isMore: Bool) -> CursorStep {
        var members = [Member("count", .count(UInt64(count)))]
        if isMore { members.append(Member("next", .count(last))) }
        members.append(Member("position", .count(durable.value)))
        return .ended(.done(.members(members)), restsOn: .zero)
    }
}

extension World {
    /// Returns the members of an erasure's row; one that is under way in this directory has no `done`.
    ///
    /// - Throws: the error of reading the log or the models.
    func members(of erased: ErasedRecord) throws(StorageError) -> [Member] {
        let end = try end(of: erased)
        var members = [Member("id", .text("\(erased.number)")), Member("position", .count(erased.position.value))]
        if let end { members.append(Member("done", .count(end.receipt.position.value))) }
        members.append(Member("target", .text(erased.target)))
        if let scope = erased.scope { members.append(Member("scope", .text(scope.rawValue))) }
        members += [
            Member("labels", .text(erased.labels.rawValue)), Member("reason", .text(erased.reason)),
            Member("by", .count(UInt64(erased.by))),
        ]
        members += erased.sums.members
        if let end { members.append(Member("media", .text(end.media.rawValue))) }
        if let waiting = erasures?.waiting(for: erased.position), !waiting.isEmpty {
            members.append(Member("waiting", .list(waiting.map { .text($0) })))
        }
        return members
    }

    /// Returns the event that ended an erasure; nil while it is under way in this directory.
    ///
    /// - Throws: the error of reading the log or the models.
    func end(of erased: ErasedRecord) throws(StorageError) -> (receipt: Receipt, media: ErasureMedia)? {
        erasures?.isUnderWay(erased.position) == true ? nil : try done(erased)
    }

    /// Returns the event `ErasureDone` of an erasure; nil where there is none.
    ///
    /// - Throws: the error of reading the log or the models.
    func done(_ erased: ErasedRecord) throws(StorageError) -> (receipt: Receipt, media: ErasureMedia)? {
        guard let head = try streams.head(of: StreamName(erasure: erased.number)) else { return nil }
        var end: (receipt: Receipt, media: ErasureMedia)?
        try log.records(at: [head.position]) { record in
            guard let media = ErasureEvent.media(of: record, json) else { return false }
            end = (Receipt(repeating: record, isRepeated: false), media)
            return false
        }
        return end
    }
}
