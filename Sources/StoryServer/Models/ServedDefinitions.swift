import StoryCore
import StoryFold
import StoryLog
import StoryStorage

/// The definitions that answer, and those that answer no more and are kept until that is acknowledged: both are folded
/// and stored, and the latter removed in the end.
final class ServedDefinitions {
    private let parts: ModelParts
    /// The definitions that answer, by the names of their models.
    private(set) var byName: [String: ServedDefinition] = [:]
    /// The same by the categories that they read, as of the last `arrange`.
    private var readers: CategoryReaders
    /// The reader of the events that they share.
    let events: any EventReading
    /// The most work that the folds of one request have done as its events were appended.
    private(set) var longest = Work.zero
    /// The last event that they were given to fold.
    private var given = Position.zero
    /// The definitions that answer no more, with the position from which on they do not.
    private var retirements: [(definition: ServedDefinition, through: Position)] = []

    init(_ parts: ModelParts) {
        self.parts = parts
        events = parts.events()
        readers = CategoryReaders([], events)
    }

    subscript(name: String) -> ServedDefinition? { byName[name] }

    /// True where no definition answers, or is kept.
    var isEmpty: Bool { byName.isEmpty && retirements.isEmpty }
    /// The definitions that answer in the order of the names, which is that of the fold.
    var inOrder: [ServedDefinition] { readers.all }
    /// The machines that store them.
    var checkpoints: [Checkpoints] { readers.checkpoints }
    /// The definitions that answer no more.
    var retired: [ServedDefinition] { retirements.isEmpty ? [] : retirements.map(\.definition) }

    // MARK: Folding

    /// Folds the event after the last one.
    func fold(_ record: EventRecord) {
        readers.fold(record)
        given = record.position
    }

    /// Notes an event that the definitions have, or will have, by a long fold.
    func passed(_ record: EventRecord) { given = record.position }

    /// Returns the definitions that read an event, in the order of the fold.
    func readers(of record: EventRecord) -> [ServedDefinition] { readers.readers(of: record) }

    /// Notes that the stores are no fold of the log any more.
    func lost(_ error: StorageError) { for definition in inOrder { definition.failed(error) } }

    /// Takes the work that folds have done since the last call.
    func takeSpent() -> Work {
        let spent = readers.takeSpent()
        longest = max(longest, spent)
        return spent
    }

    /// Returns the work of folding the events of a write at most.
    func mostWork(of action: WriteAction, in catalogue: Catalogue) -> Work {
        readers.mostWork(of: action, in: catalogue)
    }

    /// Returns the work of folding events at most.
    func mostWork(of records: [EventRecord]) -> Work {
        records.reduce(.zero) { $0 + readers.mostWork(of: $1) }
    }

    /// Notes the events that definitions have by not reading them.
    func noteGiven() {
        for definition in inOrder { definition.passed(through: given) }
    }

    /// Notes a rollback to the log's head.
    ///
    /// - Returns: the definitions that have to be folded up to it again, also those whose end was undone.
    func rolledBack() -> [ServedDefinition] {
        given = parts.log.head
        return inOrder + retirements.filter { $0.through > given }.map(\.definition)
    }

    // MARK: Members

    /// Has a definition answer.
    func begin(_ definition: ServedDefinition) { byName[definition.name] = definition }

    /// Keeps a definition until the event is acknowledged from which on it is not needed.
    func retire(_ definition: ServedDefinition, through position: Position) {
        if byName[definition.name] === definition { byName[definition.name] = nil }
        retirements.append((definition, position))
    }

    /// Returns a definition that is kept; nil where there is none with this number.
    func retired(_ name: String, _ number: UInt32) -> ServedDefinition? {
        retirements.first { $0.definition.isOf(name, number) }?.definition
    }

    /// Takes a definition out, whether it answers or is kept.
    func take(_ definition: ServedDefinition) {
        if byName[definition.name] === definition { byName[definition.name] = nil }
        recall(definition)
    }

    /// Keeps a definition no longer, since it is needed again.
    func recall(_ definition: ServedDefinition) { retirements.removeAll { $0.definition === definition } }

    /// Arranges the definitions that answer for the fold; returns true where they changed since the last time.
    func arrange() -> Bool {
        let before = Set(inOrder.map(\.folder))
        readers = CategoryReaders(
            byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, events)
        return Set(inOrder.map(\.folder)) != before
    }

    // MARK: Removing

    /// Removes the stores of kept definitions that are not needed once an event is acknowledged.
    ///
    /// - Parameter isAway: returns true for a definition that a thread uses.
    func release(_ acknowledged: Position, isAway: (ServedDefinition) -> Bool) {
        for (definition, through) in retirements where through <= acknowledged {
            guard !isAway(definition), definition.readers == 0, !definition.checkpoints.isStoring else { continue }
            recall(definition)
            remove(definition)
        }
    }

    /// Removes the store of a definition that can no longer be used; returns true where it answered.
    func removeDamaged(_ definition: ServedDefinition) -> Bool {
        let isServed = byName[definition.name] === definition
        if isServed { byName[definition.name] = nil }
        definition.checkpoints.wait()
        remove(definition)
        return isServed
    }

    /// Closes and removes the store of a definition that nobody uses.
    func remove(_ definition: ServedDefinition) {
        do throws(StorageError) {
            try parts.modelFolders.remove(definition.folder, definition.store)
        } catch {
            parts.trace.say("not-removed", ["model": definition.folder.name, "reason": "\(error)"])
        }
    }
}

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
