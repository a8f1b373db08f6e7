import StoryCore
import StoryStorage
import TestSupport

@testable import StoryModels

/// A data directory with its models, for one test.
final class ModelBench {
    static let storeID = Array(1...16) as [UInt8]
    let folder = TemporaryFolder()
    private(set) var directory: DataDirectory
    private(set) var store: LMDBModelStore

    init() throws {
        directory = try DataDirectory(folder.store, for: .serving)
        store = try LMDBModelStore(
            in: directory, storeID: ModelBench.storeID, version: ModelVersion.current, tables: Catalogue.standard.tables
        )
    }

    func reopen(
        storeID: [UInt8] = ModelBench.storeID, ancestors: [StoredIdentity.Ancestor] = [], head: Position = .max,
        version: UInt32 = ModelVersion.current, mapSize: Int = 1 << 40
    ) throws {
        store.close()
        store = try LMDBModelStore(
            in: directory, storeID: storeID, ancestors: ancestors, head: head, version: version, mapSize: mapSize,
            tables: Catalogue.standard.tables)
    }

    var journal: String { folder.store + "/models/journal" }

    func checkpoint(at position: UInt64) throws {
        let checkpoint = store.freeze(at: Position(position))
        try checkpoint.run()
        try store.finish()
    }

    /// The stored models as another process would see them.
    func snapshot<Result>(_ body: (ModelSnapshot) throws -> Result) throws -> Result {
        store.close()
        let snapshot = try ModelSnapshot(
            in: DataDirectory(folder.store, for: .reading), tables: Catalogue.standard.tables)
        defer { snapshot.close() }
        return try body(snapshot)
    }
}
