import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

/// The stored models and those in memory, through the port that throws.
struct SchemaStoreTests {
    private let plan = CataloguePlan(.standard)

    @Test(arguments: 40...42) func `stored models are those in memory`(_ seed: UInt64) throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.store, for: .serving)
        let store = try LMDBModelStore(
            in: directory, storeID: ModelBench.storeID, version: 3, mapSize: 1 << 30, tables: plan.catalogue.tables)
        let memory = MemoryModelStore()
        let stored = ModelProjector(plan, store: store, json: JSONObjectReader())
        let kept = ModelProjector(plan, store: memory, json: JSONObjectReader())
        for event in RandomLog(seed: seed, count: 1_200).events {
            try event.withRecord { record in
                try stored.fold(record)
                try kept.fold(record)
            }
            if event.position % 250 == 0 {
                let checkpoint = store.freeze(at: Position(event.position))
                if event.position % 500 == 0 { try checkpoint.run() }
                if event.position % 500 == 0 { try store.finish() } else { store.fail() }
            }
        }
        for table in plan.catalogue.tables {
            var digest = ModelDigest()
            try store.walk(table.number, .all, .ascending) { key, value in
                digest.add(table.number, key, value)
                return true
            }
            expect(digest == memory.digest(of: table), "\(table.name)")
        }
        store.close()
    }
}
