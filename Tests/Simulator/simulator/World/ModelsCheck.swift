import StoryCore
import StoryFold
import StoryStore
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
            try compare(models, table, fresh.entries(of: table), through: head)
        }
    }

    /// Holds the stores of declared models against the log.
    ///
    /// - Parameters:
    ///   - isWhole: whether the one that answers must be there.
    ///   - isActivatedHere: whether each definition was activated by this process once it was built. One whose
    ///     activation came from elsewhere is built when it is, and its model is `busy` until then.
    func run(
        _ modelFolders: TrackedModelFolders, _ world: World, through head: Int, isWhole: Bool,
        isActivatedHere: Bool = true
    ) throws {
        let life = world.life(at: head)
        for (number, text) in [life.active, life.newest].compactMap({ $0 }) {
            guard let store = modelFolders.store("\(DeclaredWorld.name).\(number)") else { continue }
            // It takes rows over, or has just begun.
            if number != life.active?.number || !isActivatedHere, store.checkpointed == .zero { continue }
            for (table, entries) in try world.declaredTables(text, number, through: head) {
                try compare(store, table, entries, through: head)
            }
        }
        guard let active = life.active, isWhole, modelFolders.store("\(DeclaredWorld.name).\(active.number)") == nil
        else {
            return
        }
        throw Difference("definition \(active.number) answers and has no store")
    }

    private func compare(
        _ models: any TableStore, _ table: ModelTable, _ wanted: World.Entries, through head: Int
    ) throws {
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
