package import StoryCore
package import StoryServer

/// The stores of declared models in memory; they stay when they are closed, as on a disk.
package final class MemoryModelFolders: ModelFolders {
    /// The stores, by the names of their folders.
    package private(set) var stores: [String: MemoryModels] = [:]
    /// What making a store throws.
    package var failure: StorageError?

    package init() {}

    package func open(_ definition: ModelFolder) -> (any ServedModels)? { stores[definition.name] }

    package func create(_ definition: ModelFolder) throws(StorageError) -> any ServedModels {
        if let failure { throw failure }
        let store = MemoryModels(isViewed: true)
        stores[definition.name] = store
        return store
    }

    package func remove(_ definition: ModelFolder, _ store: any ServedModels) { stores[definition.name] = nil }

    package func retire(_ definition: ModelFolder, _ store: any ServedModels) { remove(definition, store) }

    package func eraseRetired() -> @Sendable () throws(StorageError) -> Void { {} }

    package func removeAll(but kept: [ModelFolder]) {
        let names = Set(kept.map(\.name))
        stores = stores.filter { names.contains($0.key) }
    }

    package func close(_ store: any ServedModels) {}
}
