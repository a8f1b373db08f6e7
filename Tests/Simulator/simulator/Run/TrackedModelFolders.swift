import StoryCore
import StoryStore
import StoryServer
import StoryStorage

/// The stores of declared models, with a note of those that are open: a process that dies closes none of them itself.
final class TrackedModelFolders: ModelFolders {
    /// A store, and what the loop has of it.
    private typealias Opened = (store: any ServedModels, twisted: any ServedModels)

    private let modelFolders: any ModelFolders
    private let bug: PlantedBug?
    /// How many pages one commit of a checkpoint changes; nil: as many as the daemon's.
    private let pages: Int?
    private var opened: [String: Opened] = [:]

    init(_ modelFolders: any ModelFolders, _ bug: PlantedBug?, pages: Int?) {
        (self.modelFolders, self.bug, self.pages) = (
            modelFolders, bug == .declaredRowsStay ? .rollBackKeepsRows : nil, pages
        )
    }

    /// The open store of a folder.
    func store(_ name: String) -> (any ServedModels)? { opened[name]?.store }

    func open(_ definition: ModelFolder) throws(StorageError) -> (any ServedModels)? {
        try modelFolders.open(definition).map { twisted($0, definition) }
    }

    func create(_ definition: ModelFolder) throws(StorageError) -> any ServedModels {
        twisted(try modelFolders.create(definition), definition)
    }

    private func twisted(_ store: any ServedModels, _ definition: ModelFolder) -> any ServedModels {
        let twisted = (store as? LMDBModelStore).map { TwistedModels($0, bug, pages: pages) } ?? store
        opened[definition.name] = (store, twisted)
        return twisted
    }

    func remove(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError) {
        try modelFolders.remove(definition, taken(store))
    }

    func retire(_ definition: ModelFolder, _ store: any ServedModels) throws(StorageError) {
        try modelFolders.retire(definition, taken(store))
    }

    func eraseRetired() -> @Sendable () throws(StorageError) -> Void { modelFolders.eraseRetired() }

    func removeAll(but kept: [ModelFolder]) throws(StorageError) { try modelFolders.removeAll(but: kept) }

    func close(_ store: any ServedModels) { modelFolders.close(taken(store)) }

    /// The store behind what the loop has, which is open no more.
    private func taken(_ twisted: any ServedModels) -> any ServedModels {
        guard let found = opened.first(where: { $0.value.twisted === twisted }) else { return twisted }
        opened[found.key] = nil
        return found.value.store
    }

    /// The process is gone.
    func vanish() {
        for (store, twisted) in opened.values {
            (twisted as? TwistedModels)?.closeViews()
            modelFolders.close(store)
        }
        opened = [:]
    }
}
