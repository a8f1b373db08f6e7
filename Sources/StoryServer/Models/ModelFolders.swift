package import StoryCore

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
