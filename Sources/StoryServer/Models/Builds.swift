import StoryCore
import StoryEngine
import StoryLog
import StoryFold

/// The definitions that are being built.
///
/// A thread folds the log into one of them at a time, as far as it is acknowledged; the last events are folded by the
/// loop, a share a turn. A definition that makes the rows of the one that answers folds only the events after those rows,
/// which the thread takes over.
final class Builds {
    /// The time that the builds get of a turn, in nanoseconds, and the work between two looks at the clock.
    private static let (share, step) = (UInt64(2_000_000), Work(microseconds: 500))
    /// The time that a start gives to builds that lack few events, in nanoseconds.
    private static let startingTime: UInt64 = 2_000_000_000
    /// The number of events at the end of the log that the loop folds.
    private static let rest: UInt64 = 10_000
    /// The delay after a disk that was full before the next try, in nanoseconds.
    private static let delay: UInt64 = 1_000_000_000

    private let parts: ModelParts
    /// The definitions by the names of their models.
    private var builds: [String: ServedDefinition] = [:]
    /// The rows that definitions take over before anything is folded, by the names of their models.
    private var sources: [String: RowSource] = [:]
    /// The definitions that could not take rows over, by the names of their models: they are folded.
    private var mustFold: [String: UInt32] = [:]
    /// The definitions whose store has a part of the rows, and is of no use.
    private var partial: [ServedDefinition] = []
    /// The work in progress on the thread; it may be of a definition that was given up.
    private var job: BuildJob?
    /// Why the thread could not go on, and when it is tried again.
    private var refusal: (error: StorageError, retry: UInt64)?
    /// Why a model cannot be built, by its name; it is tried again after the next definition, or the next start.
    private var reasons: [String: String] = [:]
    /// Why the build of a model was not begun yet, by its name: the disk is full.
    private var waiting: [String: String] = [:]
    /// True while a build is complete but for events that are not acknowledged: writes wait for that.
    private(set) var isAwaitingQuiet = false
    /// True while a build can go on in the next turn, without waiting for anything.
    private(set) var hasWork = false

    init(_ parts: ModelParts) { self.parts = parts }

    /// The definition that is being built for a model; nil where none is.
    subscript(name: String) -> ServedDefinition? { builds[name] }

    /// True where nothing is built.
    var isEmpty: Bool { builds.isEmpty && job == nil }

    /// The definitions in the order of the names of their models.
    var all: [ServedDefinition] { builds.values.sorted { $0.name < $1.name } }

    /// Returns true while a thread uses a definition, so that the loop must not.
    func isAway(_ definition: ServedDefinition) -> Bool { job?.definition === definition }

    /// Returns the last event that a build has.
    func position(of build: ServedDefinition) -> Position {
        if let job, job.definition === build { job.position } else { build.folded }
    }

    /// Returns the number of rows that a build has taken over; nil for one that folds.
    func rowsTaken(by build: ServedDefinition) -> UInt64? {
        guard sources[build.name] != nil else { return nil }
        return if let job, job.definition === build { job.rows } else { 0 }
    }

    /// Returns why the build of a model waits or failed; nil where it does not.
    func reason(of name: String) -> String? {
        if let reason = reasons[name] ?? waiting[name] { return reason }
        guard let build = builds[name] else { return nil }
        let failure = build.checkpoints.failure ?? sources[name]?.definition.checkpoints.failure
        let isWaiting = build.folded < parts.log.head || build.indexes != .complete
        return (failure ?? (isWaiting ? refusal?.error : nil)).map { "\($0)" }
    }

    // MARK: Members

    /// Begins to build a definition, from the events that its store has.
    ///
    /// - Parameter source: the rows that it can take over; nil where it has to fold all events.
    /// - Returns: false while the disk is full: it is to be begun later.
    func begin(_ name: String, _ numbered: DeclaredModel.Numbered, from source: RowSource? = nil) -> Bool {
        guard !isRefused else { return false }
        do throws(StorageError) {
            let build = try parts.definition(name, numbered)
            builds[name] = build
            (reasons[name], waiting[name]) = (nil, nil)
            if mustFold[name] != numbered.number, build.folded == .zero { sources[name] = source }
        } catch {
            guard case .full = error else {
                failed(name, error)
                return true
            }
            waiting[name] = "\(error)"
            refuse(error)
            return false
        }
        return true
    }

    /// True while the disk was full a moment ago.
    private var isRefused: Bool { refusal.map { parts.clock() < $0.retry } ?? false }

    /// Goes on with a definition that was given up.
    func resume(_ definition: ServedDefinition) {
        definition.resumes(parts.events())
        builds[definition.name] = definition
    }

    /// Takes out the definition of a model that is folded up to the end of the log; nil where it is not.
    func takeComplete(_ name: String, _ number: UInt32) -> ServedDefinition? {
        guard let build = builds[name], build.isOf(name, number), !isAway(build), build.indexes == .complete,
            build.folded == parts.log.head
        else { return nil }
        return builds.removeValue(forKey: name)
    }

    /// Gives a definition up; the thread that folds it ends soon.
    ///
    /// - Returns: the definition; nil where none is built for this model.
    func drop(_ name: String) -> ServedDefinition? {
        if let job, job.definition === builds[name] { job.cancel() }
        sources[name] = nil
        return builds.removeValue(forKey: name)
    }

    /// Takes out the definitions whose store has a part of the rows: they are to be begun again.
    func takePartial() -> [ServedDefinition] {
        defer { partial = [] }
        return partial
    }

    /// Takes out the definitions that differ from those of the source; they are not served.
    func takeDifferent() -> [ServedDefinition] {
        let different = builds.values.filter { $0.difference != nil && !isAway($0) }
        for build in different {
            builds[build.name] = nil
            failed(build.name, .failed(build.difference ?? ""))
        }
        return different
    }

    /// Forgets why models could not be built that are not defined any more.
    func forgetReasons(but isDefined: (String) -> Bool) {
        reasons = reasons.filter { isDefined($0.key) }
        waiting = waiting.filter { isDefined($0.key) }
    }

    /// Returns true for a model that cannot be built, and whose build does not only wait.
    func hasFailed(_ name: String) -> Bool { reasons[name] != nil }

    /// True where a model cannot be built, or its build waits for room.
    var isHindered: Bool {
        !reasons.isEmpty || !waiting.isEmpty || builds.keys.contains { reason(of: $0) != nil }
    }

    /// Notes the reason why a definition cannot be built.
    func failed(_ name: String, _ error: StorageError) {
        (reasons[name], waiting[name]) = ("\(error)", nil)
        parts.trace.say("not-built", ["model": name, "reason": "\(error)"])
    }

    // MARK: Folding

    /// Folds the builds that lack only few events, as far as a start has time.
    func fold(atMost limit: UInt64) {
        let (began, head) = (parts.clock(), parts.log.head)
        for build in all where sources[build.name] == nil && build.indexes == .complete {
            guard head.value - build.folded.value <= limit else { continue }
            while build.folded < head, canGoOn(build), parts.clock() - began < Builds.startingTime {
                fold(build, through: head, within: 100 * Builds.step)
                if waitsForStore(build) { break }
            }
        }
    }

    /// Folds a share of each build.
    ///
    /// - Returns: the builds that are complete.
    func advance(acknowledged: Position) -> [ServedDefinition] {
        (isAwaitingQuiet, hasWork) = (false, false)
        guard !builds.isEmpty else { return [] }
        var complete: [ServedDefinition] = []
        let began = parts.clock()
        for build in all where !isAway(build) && canGoOn(build) {
            if let source = sources[build.name] {
                take(build, from: source)
                continue
            }
            store(build)
            guard !waitsForStore(build), !isLong(build, acknowledged) else { continue }
            while build.folded < acknowledged, parts.clock() - began < Builds.share {
                fold(build, through: acknowledged, within: Builds.step)
                if waitsForStore(build) || !canGoOn(build) { break }
            }
            guard canGoOn(build) else { continue }
            if build.folded < acknowledged {
                if !waitsForStore(build) { hasWork = true }
            } else if acknowledged == parts.log.head {
                complete.append(build)
            } else {
                isAwaitingQuiet = parts.log.head.value - acknowledged.value <= Builds.rest
            }
        }
        return complete
    }

    /// True where a build has no room before its rows are stored, which no build does in the middle of an event.
    private func waitsForStore(_ build: ServedDefinition) -> Bool { build.isFull && !build.isPaused }

    private func canGoOn(_ build: ServedDefinition) -> Bool { build.isSound && reasons[build.name] == nil }

    /// Folds a part of the log; a build that the log cannot be read for goes on no more.
    private func fold(_ build: ServedDefinition, through last: Position, within work: Work) {
        do throws(StorageError) { try build.fold(parts.log, through: last, within: work) } catch {
            failed(build.name, error)
        }
    }

    /// Begins or advances the checkpoint of a build, whose memory is bounded by it.
    private func store(_ build: ServedDefinition) {
        guard build.indexes != .partial, !build.isPaused else { return }
        build.checkpoints.advance()
        if build.checkpoints.isDue(at: build.folded) { build.checkpoints.freeze(at: build.folded) }
    }

    /// Returns true where a build is left to the thread, which begins if it is free: it lacks more events than `rest`, or
    /// its indexes.
    private func isLong(_ build: ServedDefinition, _ acknowledged: Position) -> Bool {
        let lacked = acknowledged.value - min(acknowledged.value, build.folded.value)
        guard let log = parts.stored, !build.isPaused, lacked > Builds.rest || build.indexes != .complete else {
            return false
        }
        guard job == nil, build.checkpoints.isAtRest, !isRefused else { return true }
        do throws(StorageError) {
            job = BuildJob(
                build, try LogView(log), through: acknowledged, starter: parts.starter,
                returnFreedPages: parts.returnFreedPages)
        } catch {
            refuse(error)
        }
        return true
    }

    /// Has the thread take rows over, once they are stored and it is free.
    private func take(_ build: ServedDefinition, from source: RowSource) {
        // Its store is closed then.
        if let damage = source.definition.damage { return notTaken(build, damage) }
        let checkpoints = source.definition.checkpoints
        guard checkpoints.checkpointed >= source.position, checkpoints.isAtRest else {
            return checkpoints.ask(through: source.position)
        }
        guard job == nil, !isRefused else { return }
        do throws(StorageError) {
            job = try BuildJob(build, from: source, starter: parts.starter)
        } catch {
            refuse(error)
        }
    }

    /// Takes the definition back from a thread that has ended.
    func endJob() {
        guard let job, let result = job.result else { return }
        self.job = nil
        refusal = nil
        job.ended()
        guard let build = builds[job.definition.name], build === job.definition else { return }
        sources[build.name] = nil
        guard case .failure(let error) = result else { return }
        if job.source != nil {
            notTaken(build, error)
        } else if case .full = error {
            refuse(error)
        } else {
            failed(build.name, error)
        }
    }

    /// Gives a definition up that could not take rows over: it is begun again, and folded unless the disk was full.
    private func notTaken(_ build: ServedDefinition, _ error: StorageError) {
        (builds[build.name], sources[build.name]) = (nil, nil)
        partial.append(build)
        if case .full = error { return refuse(error) }
        mustFold[build.name] = build.folder.number
        parts.trace.say(
            "rows-not-taken", ["model": build.folder.name, "reason": "\(error)", "then": "the log is folded"])
    }

    private func refuse(_ error: StorageError) {
        refusal = (error, parts.clock() + Builds.delay)
        parts.trace.sayEachSecond("not-built", ["reason": "\(error)", "then": "tried again in a second"])
    }

    /// Waits for the thread, after the loop has ended.
    func end() {
        job?.end()
        job = nil
    }
}
