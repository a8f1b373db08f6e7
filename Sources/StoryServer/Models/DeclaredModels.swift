import StoryCore
import StoryEngine
import StoryLog
import StoryModels

/// The declared models of a store: those that are served, and those that are being built.
///
/// The log says which definition of which model is meant: this object follows it. A new definition is built beside the
/// loop's other work, a share a turn; once it is folded up to the log's end and everything is acknowledged,
/// `ModelActivated` is appended, and from that position on the name means the new definition.
final class DeclaredModels: RecordFolding, DeclaredModelStates {
    /// The time that the build gets of a turn, in nanoseconds, and the number of events between two looks at the clock.
    private static let (share, step): (UInt64, UInt64) = (2_000_000, 256)
    /// The number of events at the end of the log that are folded at once when a build changes over.
    private static let rest: UInt64 = 10_000
    /// The number of events that a start folds at once for each model.
    private static let startingRest: UInt64 = 200_000

    /// The parts of the daemon that it uses.
    struct Parts {
        let log: any EventLog
        let engine: Engine
        let shelf: any ModelShelf
        let trace: Trace
        let events: any EventReading
        /// Monotonic time in nanoseconds.
        let clock: () -> UInt64
        /// Returns the machine that stores a store.
        let checkpoints: (any ServedModels) -> Checkpoints
    }

    private let parts: Parts
    /// The definitions that answer, by the names of their models.
    private var served: [String: ServedDefinition] = [:]
    /// The same in the order of the names, which is that of the fold.
    private var inOrder: [ServedDefinition] = []
    /// The definitions that are being built, by the names of their models.
    private var builds: [String: ServedDefinition] = [:]
    /// The definitions that answer no more, with the position from which on they do not: kept until that is acknowledged.
    private var retired: [(definition: ServedDefinition, through: Position)] = []
    /// Why a model can be neither built nor served, by its name.
    private var reasons: [String: String] = [:]
    /// True while the log has definitions that were not looked at.
    private var isStale = true
    /// True while a build is complete but for events that are not acknowledged: writes wait for that.
    private(set) var isAwaitingQuiet = false

    init(_ parts: Parts) { self.parts = parts }

    private var log: any EventLog { parts.log }
    private var engine: Engine { parts.engine }

    /// True while a build can go on in the next turn, without waiting for anything.
    private(set) var hasWork = false

    // MARK: Folding

    func fold(_ record: EventRecord) {
        if record.streamName.starts(with: "model-".utf8) { isStale = true }
        for definition in inOrder { definition.fold(record) }
    }

    /// Folds again what a rollback undid.
    ///
    /// - Throws: the error of reading the log.
    func rolledBack() throws(StorageError) {
        for definition in all { definition.rollBack() }
        isStale = true
        for definition in inOrder { try definition.fold(log, through: log.head) }
    }

    private var all: [ServedDefinition] { inOrder + builds.values + retired.map(\.definition) }

    // MARK: Life

    /// Follows the log's definitions, and gives the builds their share of a turn.
    ///
    /// - Parameters:
    ///   - acknowledged: the last acknowledged event.
    ///   - activate: appends `ModelActivated` of a model; false where that is not possible now.
    /// - Returns: the change of the definitions that answer; nil where there is none.
    /// - Throws: the error of reading the log or the models.
    func advance(
        acknowledged: Position, activate: (String, ModelActivated) throws(StorageError) -> Bool
    ) throws(StorageError) -> Change? {
        guard isStale || !served.isEmpty || !builds.isEmpty || !retired.isEmpty else { return nil }
        for definition in all { definition.noteDamage() }
        var isChanged = try follow(acknowledged)
        if dropDamaged() { isChanged = true }
        release(acknowledged)
        try build(acknowledged, activate)
        if isStale, try follow(acknowledged) { isChanged = true }
        return isChanged ? Change(to: inOrder, retired: retired.map(\.definition), parts) : nil
    }

    /// Compares with the definitions in the log; returns true where the definitions that answer changed.
    private func follow(_ acknowledged: Position) throws(StorageError) -> Bool {
        guard isStale else { return false }
        isStale = false
        let defined = try engine.models.defined()
        let before = Set(inOrder.map(\.folder))
        for (name, definition) in served where defined[name]?.active?.number != definition.folder.number {
            retire(definition)
        }
        for (name, build) in builds where defined[name]?.wants(build.folder.number) != true { drop(build, name) }
        reasons = reasons.filter { defined[$0.key] != nil }
        for (name, model) in defined {
            if let active = model.active, served[name] == nil { restore(name, active) }
            if let awaited = model.awaited, builds[name] == nil, served[name]?.folder.number != awaited.number {
                // A definition that may still be undone is not built.
                if awaited.position <= acknowledged { begin(name, awaited) } else { isStale = true }
            }
        }
        inOrder = served.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return Set(inOrder.map(\.folder)) != before
    }

    private func retire(_ definition: ServedDefinition) {
        served[definition.name] = nil
        retired.append((definition, log.head))
    }

    /// Serves the active definition of a model: one that was just built, or was retired by an event that was undone, or as
    /// it was stored; otherwise it is built again.
    private func restore(_ name: String, _ active: DeclaredModel.Numbered) {
        if let build = builds[name], build.folder.number == active.number, build.folded == log.head {
            builds[name] = nil
            served[name] = build
        } else if let index = retired.firstIndex(where: { $0.definition.isOf(name, active.number) }) {
            served[name] = retired.remove(at: index).definition
        } else if builds[name]?.folder.number != active.number {
            if let other = builds[name] { drop(other, name) }
            begin(name, active)
        }
    }

    /// Opens the models as the log has them at the start, and folds what their stores lack; only long folds are left to
    /// the loop.
    ///
    /// - Returns: the first change of the definitions that answer.
    /// - Throws: the error of reading the log or the models.
    func begin() throws(StorageError) -> Change? {
        _ = try follow(log.head)
        for build in builds.values where log.head.value - build.folded.value <= DeclaredModels.startingRest {
            try build.fold(log, through: log.head)
        }
        do throws(StorageError) {
            try parts.shelf.removeAll(but: builds.values.map(\.folder))
        } catch {
            parts.trace.say("not-removed", ["reason": "\(error)"])
        }
        isStale = true
        return try advance(acknowledged: log.head) { _, _ in false }
    }

    /// Begins to build a definition, from the events that its store has.
    private func begin(_ name: String, _ numbered: DeclaredModel.Numbered) {
        do throws(StorageError) {
            builds[name] = try parts.definition(name, numbered)
            reasons[name] = nil
        } catch {
            reasons[name] = "\(error)"
            parts.trace.say("not-built", ["model": name, "reason": "\(error)"])
        }
    }

    private func drop(_ build: ServedDefinition, _ name: String) {
        builds[name] = nil
        retired.append((build, .zero))
    }

    /// Takes the definitions out whose store can no longer be used; they are built again.
    private func dropDamaged() -> Bool {
        var isChanged = false
        for definition in inOrder + builds.values {
            guard let damage = definition.damage else { continue }
            parts.trace.say("model-damaged", ["model": definition.name, "error": "\(damage)", "then": "built again"])
            if served[definition.name] === definition { isChanged = true }
            served[definition.name] = served[definition.name] === definition ? nil : served[definition.name]
            builds[definition.name] = builds[definition.name] === definition ? nil : builds[definition.name]
            definition.checkpoints.wait()
            remove(definition)
            isStale = true
        }
        inOrder = inOrder.filter { served[$0.name] === $0 }
        return isChanged
    }

    /// Removes the stores of definitions whose end is acknowledged.
    private func release(_ acknowledged: Position) {
        for (definition, through) in retired where through <= acknowledged {
            guard !definition.checkpoints.isStoring else { continue }
            retired.removeAll { $0.definition === definition }
            remove(definition)
        }
    }

    private func remove(_ definition: ServedDefinition) {
        do throws(StorageError) {
            try parts.shelf.remove(definition.folder, definition.store)
        } catch {
            parts.trace.say("not-removed", ["model": definition.folder.name, "reason": "\(error)"])
        }
    }

    // MARK: Builds

    /// Folds a share of each build, and changes over where one is complete.
    private func build(
        _ acknowledged: Position, _ activate: (String, ModelActivated) throws(StorageError) -> Bool
    ) throws(StorageError) {
        (isAwaitingQuiet, hasWork) = (false, false)
        let began = parts.clock()
        for (name, build) in builds.sorted(by: { $0.key < $1.key }) {
            store(build)
            guard !build.isFull else { continue }
            while build.folded < acknowledged, parts.clock() - began < DeclaredModels.share {
                let through = Position(min(acknowledged.value, build.folded.value + DeclaredModels.step))
                try build.fold(log, through: through)
                if build.damage != nil || build.isFull { break }
            }
            guard build.damage == nil, build.folded == acknowledged else {
                if !build.isFull { hasWork = true }
                continue
            }
            guard acknowledged == log.head else {
                isAwaitingQuiet = log.head.value - acknowledged.value <= DeclaredModels.rest
                continue
            }
            try changeOver(name, build, activate)
        }
    }

    /// Begins or advances the checkpoint of a build, whose memory is bounded by it.
    private func store(_ build: ServedDefinition) {
        build.checkpoints.advance()
        if build.checkpoints.isDue(at: build.folded) { build.checkpoints.freeze(at: build.folded) }
    }

    private func changeOver(
        _ name: String, _ build: ServedDefinition,
        _ activate: (String, ModelActivated) throws(StorageError) -> Bool
    ) throws(StorageError) {
        isStale = true
        // A definition that answered before, whose store was lost, only comes back.
        if try engine.models.defined()[name]?.active?.number == build.folder.number { return }
        let (rows, misfits) = (try build.rows(), try build.misfits())
        let event = ModelActivated(definition: build.folder.number, rows: rows, misfits: misfits)
        guard try activate(name, event) else { return }
        try build.fold(log, through: log.head)
        parts.trace.say(
            "model-ready", ["model": build.folder.name, "rows": "\(rows)", "misfits": "\(misfits)"])
    }

    // MARK: Storing

    /// The machines that store the definitions that answer.
    var checkpoints: [Checkpoints] { inOrder.map(\.checkpoints) }

    /// The machines that store any definition.
    var allCheckpoints: [Checkpoints] { all.map(\.checkpoints) }

    /// Stores everything and closes the stores, after the loop has ended.
    ///
    /// - Parameter position: the last event, which the log is flushed through; nil where nothing may be stored.
    func end(at position: Position?) {
        for definition in all {
            definition.checkpoints.wait()
            if let position, definition.damage == nil, definition.folded <= position {
                definition.checkpoints.end(at: definition.folded)
            }
            parts.shelf.close(definition.store)
        }
    }

    // MARK: DeclaredModelStates

    func state(of name: String) throws(StorageError) -> DeclaredModelState {
        var state = DeclaredModelState()
        if let definition = served[name], definition.damage == nil {
            state.isReady = definition.kind != nil
            state.rows = try definition.rows()
            state.misfits = try definition.misfits()
            state.bytes = UInt64(clamping: definition.store.storedBytes + definition.store.bufferedBytes)
        }
        if let build = builds[name] {
            state.build = DeclaredModelState.Build(definition: build.folder.number, position: build.folded)
            state.reason = build.checkpoints.failure.map { "\($0)" }
        }
        state.reason = state.reason ?? reasons[name]
        return state
    }

    func store(of name: String) -> (any TableStore)? { served[name]?.store }
}
