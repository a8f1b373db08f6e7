package import StoryCore
import StoryFold
import StoryWire

extension RowCopy {
    /// The row that the events of one stream make by the shipped fold; nil where they make none.
    package static func folded(_ events: [Event]) -> RowCopy? {
        let plan = CataloguePlan(.standard)
        guard let event = events.first,
            let kind = event.stream.category.bytes.withBytes({ plan.catalogue.kind(category: $0) })
        else { return nil }
        let history = RowHistory(plan, kind: kind, json: JSONObjectReader())
        var work = Work.unlimited
        for event in events { event.withRecord { _ = history.fold($0, &work) } }
        return history.row
    }
}
