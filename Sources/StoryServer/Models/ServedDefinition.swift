import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryWire

/// A definition of a declared model with its store: it is served, being built, or kept until its end is acknowledged.
///
/// Unchecked: the loop hands it to the thread that builds it, and takes it back.
final class ServedDefinition: @unchecked Sendable {
    /// The size of the memtables at which a thread stores them, in bytes.
    private static let bytesOfBuild = 64 << 20
    /// The number of events between two looks of a thread at that size: what 16 events may add is less than half of it.
    private static let eventsOfLook: UInt64 = 16
    /// The number of events between two looks of a thread at its progress.
    private static let step: UInt64 = 1_024

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
    private(set) var folded: Position
    /// Why the store can no longer be used; nil while it can.
    private(set) var damage: StorageError?
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
    private var fold: ModelFold
    private(set) var indexes: Indexes
    /// The pass that makes them; nil where none has begun.
    private var indexing: RowIndexing?

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
    /// `ModelActivated`; nil where they do not, or the event is no activation of this definition.
    private func differenceFromSource(at record: EventRecord) throws(StorageError) -> String? {
        guard let activations, let event = DeclaredModel.activation(of: name, in: record, activations),
            event.definition == folder.number
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

    /// Folds a part of the log on a thread, and stores everything, with checkpoints on the way that bound the memory.
    ///
    /// A store without events gets rows alone, and then the indexes of all of them. An error of the store that is no lack
    /// of room is kept as `damage`.
    ///
    /// - Throws: the error of reading the log; `.full` where the disk is: then it may be tried again.
    func build(_ view: LogView, through last: Position, _ progress: BuildProgress) throws(StorageError) {
        try foldRows(view, through: last, progress)
        try makeIndexes(progress)
        try storeLast()
        progress.reached(folded)
    }

    /// Folds a part of the log as `build` does; the indexes of a store that was empty stay deferred.
    ///
    /// - Parameter told: gets each event, and the reason why it did not fit.
    /// - Throws: as `build`.
    func foldRows(
        _ view: LogView, through last: Position, _ progress: BuildProgress,
        _ told: (EventRecord, Misfit?) -> Void = { _, _ in }
    ) throws(StorageError) {
        try storeFull()
        guard isSound, indexes != .partial else { return }
        if folded == .zero, store.checkpointed == .zero { try deferIndexes() }
        try view.scan(from: folded.next, through: last) { (position, record) throws(StorageError) in
            let event = try record.event(at: position)
            told(event, fold(event))
            if position.value.isMultiple(of: ServedDefinition.eventsOfLook) { try storeFull() }
            if position.value.isMultiple(of: ServedDefinition.step) { progress.reached(position) }
            return isSound && !progress.isCancelled
        }
    }

    private func deferIndexes() throws(StorageError) {
        try RowIndexing.setDeferred(true, in: store)
        fold.defersIndexes = true
        indexes = .deferred
    }

    /// Makes the indexes of the rows where they are deferred. Before they are stored with the position that the rows are
    /// folded up to, the store is one that is folded up to nothing.
    private func makeIndexes(_ progress: BuildProgress) throws(StorageError) {
        guard indexes != .complete, isSound, !progress.isCancelled else { return }
        if indexing == nil { indexing = RowIndexing(compiled.rows, in: store) }
        indexes = .partial
        do throws(StorageError) {
            let isComplete = try indexing?.run { (_) throws(StorageError) in
                try storeFull()
                return damage == nil && !progress.isCancelled
            }
            guard isComplete == true else { return }
            try RowIndexing.setDeferred(false, in: store)
            try storeNow(at: folded)
        } catch {
            if case .full = error { throw error }
            return damage = error
        }
        guard damage == nil else { return }
        indexing = nil
        fold.defersIndexes = false
        indexes = .complete
    }

    /// Takes the rows over from a definition that makes the same ones, on a thread, and stores everything; the store is
    /// empty. Before the last checkpoint it is stored as folded up to nothing, and of no use if it ends there.
    ///
    /// An error of the store that is no lack of room is kept as `damage`.
    ///
    /// - Parameter lines: the lines of misfits in the text of this definition.
    /// - Throws: the error of reading the other definition; `.full` where the disk is.
    func take(
        from view: any TableView, _ lines: MovedLines, _ progress: BuildProgress
    ) throws(StorageError) {
        defer { view.close() }
        try view.verify()
        var transfer = RowTransfer(compiled.rows, to: store, lines: lines)
        try transfer.run(from: view) { (rows) throws(StorageError) in
            try storeFull()
            progress.took(rows: rows)
            return damage == nil && !progress.isCancelled
        }
        guard damage == nil, !progress.isCancelled else { return }
        folded = view.position
        try storeLast()
        progress.reached(folded)
    }

    /// Stores what a thread has folded, and frees the memory that storing it took.
    private func storeLast() throws(StorageError) {
        guard damage == nil, indexes != .partial else { return }
        if store.bufferedBytes > 0 || folded != store.checkpointed { try storeNow(at: folded) }
        guard damage == nil else { return }
        store.releaseMemory()
        do throws(StorageError) { try store.reopen() } catch { damage = error }
    }

    private func storeFull() throws(StorageError) {
        guard damage == nil, store.bufferedBytes >= ServedDefinition.bytesOfBuild else { return }
        try storeNow(at: indexes == .partial ? .zero : folded)
    }

    private func storeNow(at position: Position) throws(StorageError) {
        do throws(StorageError) {
            try store.store(at: position)
        } catch {
            if case .full = error { throw error }
            damage = error
        }
    }

    /// Forgets everything that is not stored; rows whose indexes are being made are of acknowledged events alone.
    func rollBack() {
        guard indexes != .partial else { return }
        checkpoints.rollBack()
        isUndefined = false
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
