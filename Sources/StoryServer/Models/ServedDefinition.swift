import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryWire

/// A definition of a declared model with its store: it is served, being built, or kept until its end is acknowledged.
///
/// Unchecked: the loop hands it to the thread that builds it, and takes it back.
final class ServedDefinition: @unchecked Sendable {
    /// The state of the numbers, indexes and counts of the rows.
    enum Indexes {
        case complete
        /// There are none: the rows alone are written.
        case deferred
        /// There are some: nothing is folded until there are all, and a start has to begin again.
        case partial
    }

    let compiled: CompiledDefinition
    let folder: ModelFolder
    let store: any ServedModels
    let checkpoints: Checkpoints
    /// The position that the store is folded up to.
    var folded: Position
    /// Why the store can no longer be used; nil while it can.
    var damage: StorageError?
    /// The number of threads that read the store as it is: meanwhile it must not be closed.
    var readers = 0
    /// How it differs from the definition of the source, at the event that is not folded; nil where it does not.
    private(set) var difference: String?
    /// The reader of the source's activations; nil for a store of its own.
    private let activations: JSONObjectReader?
    /// True once the log has the end of the model: the events behind it change nothing.
    var isUndefined = false
    /// The number of its kind in the catalogue; nil while it is not served.
    private(set) var kind: Kind?
    /// The plan of the kind that rows are written by; kept, since the fold points into it.
    private var plan: CataloguePlan
    var fold: ModelFold
    var indexes: Indexes
    /// The pass that makes them; nil where none has begun.
    var indexing: RowIndexing?
    /// The event that is folded in steps; nil between two events.
    private var paused: RecordCopy?

    init(
        _ compiled: CompiledDefinition, _ folder: ModelFolder, store: any ServedModels, checkpoints: Checkpoints,
        events: any EventReading, activations: JSONObjectReader? = nil
    ) throws(StorageError) {
        (self.compiled, self.folder) = (compiled, folder)
        self.activations = activations
        (self.store, self.checkpoints) = (store, checkpoints)
        folded = store.checkpointed
        plan = compiled.plan
        fold = ModelFold(compiled.program, compiled.rows, store: store, events: events)
        fold.defersIndexes = try RowIndexing.isDeferred(in: store)
        indexes = fold.defersIndexes ? .deferred : .complete
    }

    var name: String { folder.model }
    /// The plan that the rows are written by, valid until another catalogue is served.
    var rowPlan: KindPlan { kind.map { plan[$0] } ?? compiled.rows }
    /// The work that the fold has done.
    var spent: Work { fold.spent }

    /// Begins to serve: rows are written by the plan of a catalogue, and their changes go to the feed.
    ///
    /// - Parameter events: the reader that the loop has for all definitions.
    func begins(_ kind: Kind, in plan: CataloguePlan, _ feed: ChangeFeed, _ events: any EventReading) {
        fold.begins(plan[kind], feed)
        fold.events = events
        // The fold pointed into the plan before.
        (self.kind, self.plan) = (kind, plan)
    }

    /// Goes on to be built, maybe by a thread, with a reader of its own.
    func resumes(_ events: any EventReading) { fold.events = events }

    /// Ends to serve: changes of rows go nowhere.
    func ends() {
        kind = nil
        fold.feed = nil
    }

    /// Folds the event after the last one; an error is kept, and nothing is folded after it.
    ///
    /// - Returns: the reason why the event did not fit; nil where it did.
    @discardableResult
    func fold(_ record: EventRecord) -> Misfit? {
        guard isSound, !isUndefined, record.position > folded else { return nil }
        do throws(StorageError) {
            difference = try differenceFromSource(at: record)
            guard difference == nil else { return nil }
            folded = record.position
            return try fold.fold(record)
        } catch {
            damage = error
        }
        return nil
    }

    /// Returns how the rows, which are folded up to the event before, differ from those of the source by the counts in
    /// `ModelActivated`; nil where they do not, the event is no activation of this definition, or events are erased that
    /// the source had folded.
    private func differenceFromSource(at record: EventRecord) throws(StorageError) -> String? {
        guard let activations, let event = DeclaredModel.activation(of: name, in: record, activations),
            event.definition == folder.number, try !fold.hasPassedErased()
        else { return nil }
        let (rows, misfits) = (try rows(), try misfits())
        guard rows != event.rows || misfits != event.misfits else { return nil }
        return
            "at position \(record.position.value) the source has \(event.rows) rows and \(event.misfits) misfits, and "
            + "this replica \(rows) and \(misfits)"
    }

    /// Folds an event after the last one, which others have read; an error is kept.
    func fold(_ event: ProgramEvent) {
        guard isSound, !isUndefined, event.position > folded else { return }
        folded = event.position
        do throws(StorageError) { try fold.fold(event) } catch { damage = error }
    }

    /// Joins the memtables of a long fold, which has the events through a position.
    ///
    /// - Throws: any error of the store.
    func join(_ tables: StagedTables, through last: Position) throws(StorageError) {
        guard !isUndefined else { return }
        try store.join(tables)
        fold.undone()
        folded = last
    }

    /// Notes that the store cannot be used any more.
    func failed(_ error: StorageError) { damage = damage ?? error }

    /// True while there are names of the definition that no event had.
    var wantsNames: Bool { damage == nil && fold.wantsNames }

    /// Notes the category and the type of an event after the last one; an error is kept.
    func see(category: UnsafeRawBufferPointer, type: UnsafeRawBufferPointer) {
        do throws(StorageError) { try fold.see(category: category, type: type) } catch { damage = error }
    }

    /// Notes that the events up to a position change nothing more.
    func passed(through position: Position) { if isSound, !isUndefined { folded = max(folded, position) } }

    /// Folds a part of the log, whose changes of rows nobody follows.
    ///
    /// - Throws: the error of reading the log.
    func fold(_ log: any EventLogReading, through last: Position) throws(StorageError) {
        guard folded < last else { return }
        let feed = fold.feed
        fold.feed = nil
        defer { fold.feed = feed }
        try log.scan(from: folded.next, through: last, order: .ascending) { record in
            fold(record)
            return damage == nil && difference == nil
        }
        if difference == nil { folded = max(folded, last) }
    }

    /// True while an event is folded in steps: the store has a part of it, and is not to be stored.
    var isPaused: Bool { paused != nil }

    /// Folds again a part of the log that the store has lost, as long as work is left; nobody follows its changes of rows.
    ///
    /// - Returns: true once nothing is left to fold.
    /// - Throws: the error of reading the log.
    func foldAgain(
        _ log: any EventLogReading, through last: Position, within left: inout Work
    ) throws(StorageError) -> Bool {
        let feed = fold.feed
        fold.feed = nil
        defer { fold.feed = feed }
        left = try fold(log, through: last, within: left)
        return !isPaused && (folded >= last || !isSound)
    }

    /// Folds a part of the log, whose changes of rows nobody follows, as long as work is left.
    ///
    /// - Returns: the work that is left.
    /// - Throws: the error of reading the log.
    @discardableResult
    func fold(_ log: any EventLogReading, through last: Position, within limit: Work) throws(StorageError) -> Work {
        var left = limit
        if let paused { goOn(paused.record, &left) }
        guard paused == nil, isSound, folded < last else { return left }
        try log.scan(from: folded.next, through: last, order: .ascending) { record in
            guard left > .zero else { return false }
            let copy = RecordCopy(record)
            left -= .record
            do throws(StorageError) {
                difference = try differenceFromSource(at: record)
                guard difference == nil else { return false }
                guard try fold.begin(copy.record) else {
                    folded = record.position
                    return true
                }
                paused = copy
                goOn(copy.record, &left)
            } catch {
                damage = error
            }
            return paused == nil && isSound
        }
        return left
    }

    private func goOn(_ record: EventRecord, _ left: inout Work) {
        let before = fold.spent
        do throws(StorageError) {
            guard try fold.advance(within: left) != .more else { return left = .zero }
            folded = record.position
        } catch {
            damage = error
        }
        paused = nil
        left -= fold.spent - before
    }

    /// Forgets everything that is not stored; rows whose indexes are being made are of acknowledged events alone.
    func rollBack() {
        guard indexes != .partial else { return }
        checkpoints.rollBack()
        isUndefined = false
        paused = nil
        fold.undone()
        folded = store.checkpointed
    }

    /// Notes an error of the store that was met outside of a fold.
    func noteDamage() { damage = damage ?? store.failure ?? store.damage }

    // MARK: Figures

    /// Returns the number of rows.
    ///
    /// - Throws: the error of reading the store.
    func rows() throws(StorageError) -> UInt64 { try fold.rowCount() }

    /// Returns the number of events that did not fit.
    ///
    /// - Throws: the error of reading the store.
    func misfits() throws(StorageError) -> UInt64 { try MisfitTable(store).total() }
}

extension ServedDefinition {
    /// Returns true for a definition of a model.
    func isOf(_ name: String, _ number: UInt32) -> Bool { folder.model == name && folder.number == number }

    /// True while the next event can be folded.
    var isSound: Bool { damage == nil && difference == nil }
    /// True while memory is full of events that a checkpoint must store first.
    var isFull: Bool { indexes != .partial && checkpoints.pressure != .none }
}

extension DeclaredModel {
    /// Returns true where a definition is to be built or served.
    func wants(_ number: UInt32) -> Bool { awaited?.number == number || active?.number == number }
}
