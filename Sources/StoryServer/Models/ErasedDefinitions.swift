import StoryCore
import StoryFold
import StoryStorage

/// The definitions that read events which are erased now: none of them answers, and the store of each is taken away once no
/// thread uses it.
final class ErasedDefinitions {
    private let parts: ModelParts
    private var definitions: [ServedDefinition] = []

    init(_ parts: ModelParts) { self.parts = parts }

    /// True once all stores were taken away.
    var isEmpty: Bool { definitions.isEmpty }

    /// Returns true for a model whose store has not been taken away, so that its name is not free.
    func contains(_ name: String) -> Bool { definitions.contains { $0.name == name } }

    /// Adds a definition that answers no more, and is not built any more.
    func add(_ definition: ServedDefinition) {
        parts.trace.say("model-erased", ["model": definition.folder.name, "then": "built again"])
        definitions.append(definition)
    }

    /// Takes the stores away that nobody uses.
    ///
    /// - Parameter isAway: returns true for a definition that a thread uses.
    /// - Throws: when the system refuses.
    func advance(isAway: (ServedDefinition) -> Bool) throws(StorageError) {
        guard !definitions.isEmpty else { return }
        var left: [ServedDefinition] = []
        for definition in definitions {
            if definition.checkpoints.isStoring { definition.checkpoints.advance() }
            guard !isAway(definition), definition.readers == 0, !definition.checkpoints.isStoring else {
                left.append(definition)
                continue
            }
            try parts.modelFolders.retire(definition.folder, definition.store)
        }
        definitions = left
    }
}
