import StoryCore
import StoryEngine
import StoryFold
import StoryLog
import StoryWire

/// The fold of the log's tail into models that lost it, by a rollback or a replacement: in steps, between which the loop
/// serves others.
///
/// Until it is over the models are no fold of the log, so nothing may read or store them.
final class Refolding {
    private enum State {
        /// The models are a fold of the log up to its head.
        case over
        /// The models have a part of an event that is about to be undone.
        case awaitsRollBack
        /// Events of the log are left.
        case folding(Tail)
        /// The fold met damage of the models; it begins again once they are replaced.
        case awaitsModels
    }

    /// The progress of the fold into the built-in models.
    private final class Tail {
        let projector: ModelProjector
        /// The checkpoint that it began after.
        private(set) var base: Position
        var folded: Position

        init(_ projector: ModelProjector, after base: Position) {
            (self.projector, self.base, folded) = (projector, base, base)
        }

        /// Begins again after another checkpoint.
        func begins(after base: Position) { (self.base, folded) = (base, base) }
    }

    /// A declared model that lacks events, and the checkpoint that its fold began after.
    private struct Lacking {
        let definition: ServedDefinition
        var base: Position
    }

    /// The work of folding an event into the built-in models, without its bytes: 3 µs.
    private static let event = 2 * Work.fold

    private let log: any EventLog
    private let models: any ServedModels
    private let engine: Engine
    private var state = State.over { didSet { if case .over = state { isOver = true } else { isOver = false } } }
    /// True while the models can be read. Stored, since each request reads it.
    private(set) var isOver = true
    private var lacking: [Lacking] = []
    private let share: FoldShare

    init(_ log: any EventLog, _ models: any ServedModels, _ engine: Engine, _ share: FoldShare) {
        (self.log, self.models, self.engine, self.share) = (log, models, engine, share)
    }

    /// True while a step can be done.
    var hasWork: Bool { if case .folding = state { true } else { false } }
    /// True until the event is undone that the models have a part of.
    var awaitsRollBack: Bool { if case .awaitsRollBack = state { true } else { false } }
    /// True while new models are waited for.
    var awaitsModels: Bool { if case .awaitsModels = state { true } else { false } }

    // MARK: Inputs

    /// Notes that the models have a part of an event, which a rollback is about to undo.
    func eventWasHalfFolded() { if isOver { state = .awaitsRollBack } }

    /// Begins, also where one is under way: the models have forgotten all that is not stored.
    ///
    /// - Parameter definitions: the declared models that have done so.
    func rolledBack(_ definitions: [ServedDefinition]) {
        lacking = definitions.map { Lacking(definition: $0, base: $0.store.checkpointed) }
        begin()
    }

    /// Begins with the built-in models alone, also where one is under way: others replace them, without all that is not
    /// stored. A rollback that is about to come begins by itself.
    func modelsReplaced() { if case .awaitsRollBack = state {} else { begin() } }

    private func begin() {
        let projector = ModelProjector(engine.plan, store: models, json: JSONObjectReader())
        state = .folding(Tail(projector, after: models.checkpointed))
    }

    // MARK: Steps

    /// Gives the next turn a share of its own.
    func turnEnds() { if !isOver { share.begin() } }

    /// Does a step.
    ///
    /// - Parameter isLast: whether nobody waits for the loop any more, so that everything is folded.
    /// - Returns: true where the fold has ended with it.
    /// - Throws: the error of reading the log or the models; where it is damage of the models, others are waited for.
    func step(isLast: Bool = false) throws(StorageError) -> Bool {
        guard case .folding(let tail) = state else { return false }
        var left = isLast ? .unlimited : share.left
        defer { share.use(leaving: left) }
        do throws(StorageError) {
            try foldDeclared(&left)
            try fold(tail, &left)
            guard lacking.isEmpty, tail.folded == log.head else { return false }
            try engine.modelsFolded()
        } catch {
            if case .corrupt = error, models.damage != nil { state = .awaitsModels }
            throw error
        }
        state = .over
        return true
    }

    /// Folds into the declared models, one after the other.
    private func foldDeclared(_ left: inout Work) throws(StorageError) {
        while left > .zero, let next = lacking.first {
            let definition = next.definition
            // The checkpoint that was being stored is in the tables now.
            if definition.store.checkpointed != next.base {
                definition.rollBack()
                lacking[0].base = definition.store.checkpointed
            }
            if try definition.foldAgain(log, through: log.head, within: &left) { lacking.removeFirst() }
        }
    }

    /// Folds into the built-in models.
    private func fold(_ tail: Tail, _ left: inout Work) throws(StorageError) {
        if models.checkpointed != tail.base {
            models.discard()
            tail.begins(after: models.checkpointed)
        }
        guard tail.folded <= log.head else {
            throw .corrupt("the models are at \(tail.folded.value), behind the end of the log", at: log.head)
        }
        guard left > .zero, tail.folded < log.head else { return }
        var failure: StorageError?
        try log.scan(from: tail.folded.next, through: log.head, order: .ascending) { record in
            do throws(StorageError) { try tail.projector.fold(record) } catch { failure = error }
            tail.folded = record.position
            left -= Refolding.event + .folded(record.json.count)
            return left > .zero && failure == nil
        }
        if let failure { throw failure }
    }
}
