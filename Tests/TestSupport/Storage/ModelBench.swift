package import StoryCore
import StoryFold
package import StoryStorage
package import StoryStore

/// A data directory with its models, for one test.
package final class ModelBench {
    package static let storeID = Array(1...16) as [UInt8]
    package let folder = TemporaryFolder()
    package private(set) var directory: DataDirectory
    package private(set) var store: LMDBModelStore

    /// Creates a directory with empty models.
    package init() throws {
        directory = try DataDirectory(folder.store, for: .serving)
        store = try LMDBModelStore(
            in: directory, storeID: ModelBench.storeID, version: ModelVersion.current, tables: Catalogue.standard.tables
        )
    }

    package func reopen(
        storeID: [UInt8] = ModelBench.storeID, ancestors: [StoredIdentity.Ancestor] = [], head: Position = .max,
        version: UInt32 = ModelVersion.current, mapSize: Int = 1 << 40
    ) throws {
        store.close()
        store = try LMDBModelStore(
            in: directory, storeID: storeID, ancestors: ancestors, head: head, version: version, mapSize: mapSize,
            tables: Catalogue.standard.tables)
    }

    package var journal: String { folder.store + "/models/journal" }

    package func checkpoint(at position: UInt64) throws {
        let checkpoint = store.freeze(at: Position(position))
        try checkpoint.run()
        try store.finish()
    }

    /// The stored models as another process would see them.
    package func snapshot<Result>(_ body: (ModelSnapshot) throws -> Result) throws -> Result {
        store.close()
        let snapshot = try ModelSnapshot(
            in: DataDirectory(folder.store, for: .reading), tables: Catalogue.standard.tables)
        defer { snapshot.close() }
        return try body(snapshot)
    }
}
