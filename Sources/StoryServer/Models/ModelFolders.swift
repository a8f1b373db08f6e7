package import StoryCore
import StoryFold
import StoryStorage
import StoryStore

/// The stores of declared models, one for each definition.
package protocol ModelFolders: AnyObject {
    /// Opens the store of a definition as it was left; nil where there is none that can be used.
    ///
    /// - Throws: when the system refuses.
    func open(_ definition: ModelFolder) throws(StorageError) -> (any ServedModels)?
    /// Makes an empty store of a definition, in place of any other.
    ///
    /// - Throws: when the system refuses.
    func create(_ definition: ModelFolder) throws(StorageError) -> any ServedModels
    /// Closes and removes the store of a definition.
    ///
    /// - Throws: when the system refuses.
    func remove(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError)
    /// Closes the store of a definition, and takes its name away, so that another one can have it.
    ///
    /// - Throws: when the system refuses.
    func retire(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError)
    /// Returns the removal of all stores whose name was taken away, of which nothing is left then; for any thread.
    func eraseRetired() -> @Sendable () throws(StorageError) -> Void
    /// Removes the stores of all definitions but these; those whose name was taken away stay.
    ///
    /// - Throws: when the system refuses.
    func removeAll(but kept: [ModelFolder]) throws(StorageError)
    /// Closes a store.
    func close(_ store: any ServedModels)
}

/// The name of the store of a definition.
package struct ModelFolder: Hashable, Sendable {
    /// The name of the model.
    package let model: String
    /// The number of the definition.
    package let number: UInt32
    /// Its tables.
    package let tables: [ModelTable]

    /// Creates a name.
    package init(model: String, number: UInt32, tables: [ModelTable]) {
        self.model = model
        self.number = number
        self.tables = tables
    }

    /// The name of its folder: `orders.2`.
    package var name: String { "\(model).\(number)" }
}

/// The stores of declared models in a data directory: the folder `own`, in which each has one, `orders.2`.
final class StoredModelFolders: ModelFolders {
    private let path: String
    private let owner: ModelOwner

    /// - Parameter owner: the log that the models are folds of.
    init(_ directory: DataDirectory, _ owner: ModelOwner) {
        path = directory.declaredPath
        self.owner = owner
    }

    func open(_ definition: ModelFolder) throws(StorageError) -> (any ServedModels)? {
        let path = "\(path)/\(definition.name)"
        return Folder.exists(path) ? try store(definition, at: path) : nil
    }

    private func store(_ definition: ModelFolder, at path: String) throws(StorageError) -> LMDBModelStore {
        let store = try LMDBModelStore(at: path, owner, version: ModelVersion.ofPrograms, tables: definition.tables)
        store.keepsMemory = false
        return store
    }

    func create(_ definition: ModelFolder) throws(StorageError) -> any ServedModels {
        let path = "\(path)/\(definition.name)"
        try Folder.make(self.path)
        try Folder.retireEnvironment(path)
        return try store(definition, at: path)
    }

    func remove(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError) {
        close(store)
        try Folder.retireEnvironment("\(path)/\(definition.name)")
    }

    /// The infix of the name of a store that is to be erased, before a number.
    private static let retired = ".erased."

    func retire(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError) {
        close(store)
        let name = "\(path)/\(definition.name)"
        let free = (1...).lazy.map { "\(name)\(StoredModelFolders.retired)\($0)" }.first { !Folder.isThere($0) }
        if let free, Folder.isThere(name) { try Folder.rename(name, to: free) }
    }

    func eraseRetired() -> @Sendable () throws(StorageError) -> Void {
        let path = path
        return { () throws(StorageError) in
            guard Folder.exists(path) else { return }
            for name in try Folder.names(in: path) where name.contains(StoredModelFolders.retired) {
                try Folder.eraseEnvironment("\(path)/\(name)")
            }
        }
    }

    func removeAll(but kept: [ModelFolder]) throws(StorageError) {
        guard Folder.exists(path) else { return }
        let names = Set(kept.map(\.name))
        for name in try Folder.names(in: path) where !names.contains(name) && StoredModelFolders.isDeclared(name) {
            try Folder.retireEnvironment("\(path)/\(name)")
        }
    }

    /// Returns true for the name of a definition's folder, or of one that was left while it was made or replaced.
    private static func isDeclared(_ name: String) -> Bool {
        let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, UInt32(parts[1]) != nil else { return false }
        guard Array(parts[0].utf8).withUnsafeBytes({ ModelName.error($0, kinds: []) == nil }) else { return false }
        return parts.count == 2 || ["tmp", "new", "new.tmp", "old"].contains(parts[2])
    }

    func close(_ store: any ServedModels) { (store as? LMDBModelStore)?.close() }
}
