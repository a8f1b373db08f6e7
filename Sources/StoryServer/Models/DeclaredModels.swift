import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStorage

/// The declared models of a store: those that are served, and those that are being built.
///
/// The log says which definition of which model is meant: this object follows it. A new definition is built beside the
/// loop's other work; once it is folded up to the log's end and everything is acknowledged, `ModelActivated` is appended,
/// and from that position on the name means the new definition.
final class DeclaredModels: RecordFolding {
    /// The number of events that a start folds at once for each model.
    private static let startingRest: UInt64 = 200_000

    let parts: ModelParts
    /// The definitions that answer, and those that answer no more.
    let served: ServedDefinitions
    let builds: Builds
    let folds: LongFolds
    /// True while the log has definitions that were not looked at.
    private var isStale = true
    /// True while the definitions that answer cannot be served together.
    private(set) var isContradictory = false
    /// True while the log has events of definitions that were not looked at.
    private(set) var hasNews = false
    /// The definitions that read events which are erased now, and the removals of their stores.
    private let erased: ErasedDefinitions

    init(_ parts: ModelParts) {
        self.parts = parts
        builds = Builds(parts)
        served = ServedDefinitions(parts)
        folds = LongFolds(parts, served)
        erased = ErasedDefinitions(parts)
    }

    private var log: any EventLog { parts.log }

    /// True while a build can go on in the next turn, without waiting for anything.
    var hasWork: Bool { builds.hasWork || folds.hasWork }
    /// True while a build is complete but for events that are not acknowledged: writes wait for that.
    var isAwaitingQuiet: Bool { builds.isAwaitingQuiet }

    // MARK: Folding

    func fold(_ record: EventRecord) {
        if let name = DefinitionTable.name(ofStream: record.streamName) {
            (isStale, hasNews) = (true, true)
            if DeclaredModel.isEnd(record) { served[String(decoding: name, as: UTF8.self)]?.isUndefined = true }
        }
        folds.appended(record)
    }

    /// Forgets everything that is not stored, since the last of it was undone.
    ///
    /// - Returns: the definitions that have to be folded up to the log's head again.
    func rolledBack() -> [ServedDefinition] {
        folds.giveUp()
        for definition in all { definition.rollBack() }
        isStale = true
        return served.rolledBack()
    }

    /// The definitions that no thread uses.
    var all: [ServedDefinition] {
        let retired = served.retired
        // The usual case, in every turn, makes no array.
        guard !builds.isEmpty || !retired.isEmpty else { return served.inOrder }
        return (served.inOrder + builds.all + retired).filter { !builds.isAway($0) }
    }

    // MARK: Erasures

    /// Has the definitions that read categories built again, since events of them are erased: from now on none of them
    /// answers.
    func erase(_ categories: [String]) {
        let wanted = served.inOrder + builds.all + served.retired
        for definition in wanted where definition.compiled.program.reads(anyOf: categories) {
            served.take(definition)
            if builds[definition.name] === definition { _ = builds.drop(definition.name) }
            erased.add(definition)
        }
        guard !erased.isEmpty else { return }
        folds.giveUp()
        isStale = true
    }

    /// Has the store of a dry run taken away, once it has ended.
    func erase(_ rehearsed: ServedDefinition) { erased.add(rehearsed) }

    /// True until their stores were taken away.
    var isErasing: Bool { !erased.isEmpty }

    // MARK: Life

    /// Follows the log's definitions, and gives the builds their share of a turn.
    ///
    /// - Parameters:
    ///   - acknowledged: the last acknowledged event.
    ///   - catalogue: the catalogue that is served.
    ///   - activate: appends `ModelActivated` of a model; false where that is not possible now.
    /// - Returns: the change of the definitions that answer; nil where there is none.
    /// - Throws: the error of reading the log or the models.
    func advance(
        acknowledged: Position, in catalogue: Catalogue, activate: (String, ModelActivated) throws(StorageError) -> Bool
    ) throws(StorageError) -> CatalogueChange? {
        guard isStale || !served.isEmpty || !builds.isEmpty || isErasing else { return nil }
        folds.advance()
        served.noteGiven()
        endJob()
        try erased.advance(isAway: builds.isAway)
        for definition in all { definition.noteDamage() }
        var isChanged = try follow(acknowledged, catalogue)
        if dropDamaged() { isChanged = true }
        served.release(acknowledged, isAway: builds.isAway)
        for build in builds.advance(acknowledged: acknowledged) { try changeOver(build, activate) }
        // Without a store, the next start builds it again from the first event.
        for definition in builds.takeDifferent() { served.retire(definition, through: .zero) }
        if isStale, try follow(acknowledged, catalogue) { isChanged = true }
        return isChanged ? changed(from: catalogue) : nil
    }

    /// Updates the definitions that are served to those of the log, and folds nothing.
    ///
    /// - Returns: the change of the definitions that answer; nil where there is none.
    /// - Throws: the error of reading the models.
    func follow(acknowledged: Position, in catalogue: Catalogue) throws(StorageError) -> CatalogueChange? {
        served.noteGiven()
        return try follow(acknowledged, catalogue) ? changed(from: catalogue) : nil
    }

    /// Returns the change to the definitions that answer now; nil where they contradict one another.
    private func changed(from catalogue: Catalogue) -> CatalogueChange? {
        let change = CatalogueChange(
            from: catalogue, to: served.inOrder, retired: served.retired, parts, served.events)
        isContradictory = change == nil
        return change
    }

    /// Compares with the definitions in the log; returns true where the definitions that answer changed.
    private func follow(_ acknowledged: Position, _ catalogue: Catalogue) throws(StorageError) -> Bool {
        guard isStale else { return false }
        (isStale, hasNews) = (false, false)
        let defined = try defined()
        for (name, definition) in served.byName where defined[name]?.active?.number != definition.folder.number {
            served.retire(definition, through: log.head)
        }
        for build in builds.all where defined[build.name]?.wants(build.folder.number) != true { drop(build.name) }
        builds.forgetReasons { defined[$0] != nil }
        for (name, model) in defined {
            // Its name is free again once the store of the same definition is gone.
            guard !erased.contains(name) else {
                isStale = true
                continue
            }
            if let active = model.active, served[name] == nil { restore(name, active, beside: catalogue) }
            if let awaited = model.awaited, builds[name] == nil, served[name]?.folder.number != awaited.number {
                // A definition that may still be undone is not built, nor one whose store is about to be removed.
                let isReleased = served.retired(name, awaited.number) == nil
                let isBegun =
                    awaited.position <= acknowledged && isReleased
                    && begin(name, awaited, from: source(of: name, model, through: acknowledged), beside: catalogue)
                if !isBegun { isStale = true }
            }
        }
        return served.arrange()
    }

    /// Begins to build a definition, as `Builds.begin` does.
    private func begin(
        _ name: String, _ numbered: DeclaredModel.Numbered, from source: RowSource? = nil, beside catalogue: Catalogue
    ) -> Bool {
        // A log that was imported by force may have such a name; a catalogue has no two kinds of one name.
        guard !catalogue.kinds.contains(where: { $0.program == nil && $0.name == name }) else {
            builds.failed(name, .failed("\(name) is a name of the store's own"))
            return true
        }
        return builds.begin(name, numbered, from: source)
    }

    /// Returns the models that are defined, by name.
    private func defined() throws(StorageError) -> [String: DeclaredModel] {
        Dictionary(uniqueKeysWithValues: try parts.definitions.defined().map { ($0.name, $0.model) })
    }

    /// Returns the rows of the definition that answers for a model, where the awaited one makes the same.
    private func source(of name: String, _ model: DeclaredModel, through acknowledged: Position) -> RowSource? {
        guard let definition = served[name], definition.damage == nil, let active = model.active,
            let awaited = model.awaited, let lines = LineMapping(from: active.text, to: awaited.text)
        else { return nil }
        return RowSource(definition: definition, lines: lines, position: acknowledged)
    }

    /// Takes a build back from a thread that has ended.
    private func endJob() {
        builds.endJob()
        for definition in builds.takePartial() {
            served.retire(definition, through: .zero)
            isStale = true
        }
    }

    /// Serves the active definition of a model: one that was just built, or was retired by an event that was undone;
    /// otherwise it is built, from the events that its store has.
    private func restore(_ name: String, _ active: DeclaredModel.Numbered, beside catalogue: Catalogue) {
        if let build = builds.takeComplete(name, active.number) {
            served.begin(build)
        } else if let definition = served.retired(name, active.number) {
            guard !builds.isAway(definition) else { return isStale = true }
            drop(name)
            served.recall(definition)
            builds.resume(definition)
            if let build = builds.takeComplete(name, active.number) { served.begin(build) }
        } else if builds[name]?.folder.number != active.number {
            drop(name)
            if !begin(name, active, beside: catalogue) { isStale = true }
        }
    }

    /// Opens the models as the log has them at the start, and folds what their stores lack; only long folds are left to
    /// the loop.
    ///
    /// - Returns: the first change of the definitions that answer.
    /// - Throws: the error of reading the log or the models.
    func begin(in catalogue: Catalogue) throws(StorageError) -> CatalogueChange? {
        _ = try follow(log.head, catalogue)
        builds.fold(atMost: DeclaredModels.startingRest)
        do throws(StorageError) {
            try parts.modelFolders.removeAll(but: builds.all.map(\.folder))
        } catch {
            parts.trace.say("not-removed", ["reason": "\(error)"])
        }
        isStale = true
        return try advance(acknowledged: log.head, in: catalogue) { _, _ in false }
    }

    private func drop(_ name: String) {
        if let build = builds.drop(name) { served.retire(build, through: .zero) }
    }

    /// Takes the definitions out whose store can no longer be used; they are built again.
    private func dropDamaged() -> Bool {
        guard all.contains(where: { $0.damage != nil }) else { return false }
        for definition in served.inOrder + builds.all
        where !builds.isAway(definition) && definition.readers == 0 {
            guard let damage = definition.damage else { continue }
            let name = definition.name
            parts.trace.say("model-damaged", ["model": name, "error": "\(damage)", "then": "built again"])
            if !served.removeDamaged(definition) { _ = builds.drop(name) }
            isStale = true
        }
        return served.arrange()
    }

    // MARK: Changing over

    private func changeOver(
        _ build: ServedDefinition, _ activate: (String, ModelActivated) throws(StorageError) -> Bool
    ) throws(StorageError) {
        isStale = true
        // A definition that answered before, whose store was lost, only comes back.
        if try parts.definitions.model(named: build.name)?.active?.number == build.folder.number { return }
        let (rows, misfits) = (try build.rows(), try build.misfits())
        let event = ModelActivated(definition: build.folder.number, rows: rows, misfits: misfits)
        guard try activate(build.name, event) else { return }
        try build.fold(log, through: log.head)
        parts.trace.say("model-ready", ["model": build.folder.name, "rows": "\(rows)", "misfits": "\(misfits)"])
    }
}
