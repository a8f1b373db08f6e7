package import StoryCore
import StoryModels
import StoryWire

extension RowCopy {
    /// The row that the events of one stream make by the shipped fold; nil where they make none.
    package static func folded(_ events: [Event]) -> RowCopy? {
        guard let event = events.first, let kind = Kind(category: event.stream.category.bytes) else { return nil }
        let history = RowHistory(CataloguePlan(.standard).kinds[kind.schema.number], json: JSONObjectReader())
        for event in events { event.withRecord { history.fold($0) } }
        return history.row.map { RowCopy($0) }
    }
}
