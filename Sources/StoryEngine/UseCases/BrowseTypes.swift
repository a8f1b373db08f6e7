import StoryCore
import StoryFold

/// `TYPES`: a page of the types of events by name, each with the number of its events and the first and last of them;
/// the page shows one moment.
final class BrowseTypes: AnswerCursor {
    private let query: TypesQuery
    private let engine: Engine

    init(_ query: TypesQuery, in engine: Engine) {
        self.query = query
        self.engine = engine
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        let head = engine.head
        var (count, last, next) = (0, EventType?.none, EventType?.none)
        try engine.world.types.walk(query.category, after: query.after) { type, tally in
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
