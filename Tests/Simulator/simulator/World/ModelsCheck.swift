import StoryCore
import StoryModels
import StoryStorage
import StoryWire
import TestSupport

/// Holds the models against the log, folded from its beginning.
final class ModelsCheck {
    private let fresh = MemoryModelStore()
    private let plan = CataloguePlan(.standard)

    func run(_ models: any TableStore, _ world: World, through head: Int) throws {
        fresh.removeAll()
        let projector = ModelProjector(plan, store: fresh, json: JSONObjectReader())
        for logged in world.events[..<head] {
            try logged.event.withRecord { record in try projector.fold(record) }
        }
        for table in Catalogue.standard.tables {
            let wanted = fresh.entries(of: table)
            var index = 0
            var isEqual = true
            try models.walk(table.number, .all, .ascending) { key, value in
                isEqual =
                    index < wanted.count && key.elementsEqual(wanted[index].key)
                    && value.elementsEqual(wanted[index].value)
                index += 1
                return isEqual
            }
            guard isEqual, index == wanted.count else {
                throw Difference("the table \(table.name) is not the log folded up to \(head): entry \(index)")
            }
        }
    }
}
