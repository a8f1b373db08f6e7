import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The erasures that the log orders, carried out in this directory beside the loop: from the acknowledgement of `Erased`
/// on nobody reads the content, and the requests that asked for it wait until its bytes are gone.
///
/// Each step may be done twice: after the process ended, the next one begins again.
final class Erasing {
    /// The step that the erasures under way have come to, all together.
    private enum State {
        case idle
        /// The records that are left are looked up, and kept in a file.
        case preparing(LogErasing, BackgroundJob<Prepared>)
        /// Snapshots may be read whose reader does not know that records are about to be overwritten.
        case unread(LogErasing, Prepared)
        case overwriting(LogErasing, BackgroundJob<Void>)
        /// The bytes that are no part of the blocks are filled with zeros; false where a snapshot may need some of them.
        case clearing(LogErasing, BackgroundJob<Bool>)
        case uncleared(LogErasing)
        /// Commits are held until everything is in blocks.
        case quiescing(LogErasing)
        case replacing(LogErasing, BackgroundJob<NewJournal>)
        /// The journal from before is filled with zeros.
        case zeroing(LogErasing, BackgroundJob<Void>)
        /// Declared models that read the content are taken away, and the built-in ones are replaced where they have rows,
        /// keys or tags of it; nil: those have none of it.
        case models(LogErasing, replacement: UInt64?)
        /// Their stores are filled with zeros and removed.
        case removing(LogErasing, BackgroundJob<Void>)
        /// `ErasureDone` is appended and acknowledged, where this store takes writes.
        case announcing(LogErasing)
        case ending(LogErasing, BackgroundJob<Void>)
    }

    private typealias Prepared = (erasures: [RecordErasure], transaction: UInt)

    private let log: LMDBEventLog
    private var erasure: LogErasure { log.erasure }
    /// The fate of bytes that are overwritten.
    let media: ErasureMedia
    private let trace: Trace
    private let figures: Figures
    private let starter: JobStarter
    private let clock: () -> UInt64
    private var state = State.idle
    /// The positions of the orders that were taken.
    private var taken: Set<Position> = []
    private var began: UInt64 = 0
    /// The numbers of the erasures that end together.
    private var numbers: Set<UInt64> = []
    /// The time of the next try after a disk that was full.
    private var retry: RetryTimer?

    init(
        _ log: LMDBEventLog, trace: Trace, figures: Figures, starter: JobStarter, clock: @escaping () -> UInt64
    ) {
        (self.log, self.trace, self.figures, self.starter, self.clock) = (log, trace, figures, starter, clock)
        media = log.erasure.isCopiedOnWrite ? .copyOnWrite : .overwritten
    }

    /// Masks the events of orders that are in the log for good.
    func acknowledged(through position: Position) { erasure.acknowledged(through: position) }

    /// True while anything is to be erased.
    var isUnderWay: Bool { erasure.isUnderWay }

    /// The position through which no erased content is in this directory.
    ///
    /// - Parameter folded: the last event that was folded.
    func through(_ folded: Position) -> Position {
        let left: [Position]
        switch state {
        case .announcing(let work), .ending(let work, _): left = erasure.erasers.filter { !work.erasers.contains($0) }
        case _: left = erasure.erasers
        }
        return left.first?.previous ?? folded
    }

    /// True while files are changed that a check or a copy of the log reads.
    var holdsJobs: Bool {
        switch state {
        case .models(_, .some): true
        case .idle, .models, .removing, .announcing, .ending: false
        case .preparing, .unread, .overwriting, .clearing, .uncleared, .quiescing, .replacing, .zeroing: true
        }
    }

    // MARK: Orders

    /// Takes the new orders: the models that read their events must not answer any more.
    ///
    /// - Throws: the error of reading the log.
    func takeOrders(_ engine: Engine) throws(StorageError) -> [ErasedRecord] {
        var orders: [ErasedRecord] = []
        for eraser in erasure.erasers where !taken.contains(eraser) {
            taken.insert(eraser)
            guard let erased = try engine.erasures.erased(at: eraser) else { continue }
            trace.say("erasing", ["id": "\(erased.number)", "events": "\(erased.sums.events)"])
            orders.append(erased)
        }
        return orders
    }

    // MARK: Steps

    /// The parts of the loop that a step looks at.
    struct Surroundings {
        /// The current tick, of 0.1 s.
        let tick: UInt64
        /// True while no check and no copy of the log is under way.
        let areJobsIdle: Bool
        let declared: DeclaredModels
        /// The replacement of the built-in models; nil where they are in memory alone.
        let rebuild: ModelRebuild?
        /// The index of words; nil for a log in memory.
        let finding: Finding?
        /// Appends `ErasureDone` of an erasure; false where that is not possible now, nil where others append it.
        let announce: (ErasedRecord) throws(StorageError) -> Bool?
        let engine: Engine
        let acknowledged: Position
    }

    /// Begins to carry the orders out, or advances as far as that goes without waiting.
    ///
    /// - Throws: an error after which the process has to stop.
    func advance(_ around: Surroundings) throws(StorageError) {
        if case .idle = state, !erasure.isUnderWay { return }
        if let retry {
            guard retry.hasEnded(at: around.tick) else { return }
            self.retry = nil
        }
        switch state {
        case .idle: begin(around)
        case .preparing(let work, let job):
            guard let prepared = try outcome(of: job, around.tick) else { break }
            erasure.note(prepared.erasures)
            state = .unread(work, prepared)
            try advance(around)
        case .unread(let work, let prepared):
            guard !erasure.isRead(before: prepared.transaction), erasure.overwritingBegins() else { break }
            state = .overwriting(
                work, starter.start { () throws(StorageError) in try work.overwrite(prepared.erasures) })
        case .overwriting(let work, let job): if let result = job.result { clear(work, after: try result.get()) }
        case .clearing(let work, let job):
            guard let result = job.result else { break }
            let isCleared = try result.get()
            erasure.overwritingEnded()
            guard isCleared else { return state = .uncleared(work) }
            state = .quiescing(work)
            try advance(around)
        case .uncleared(let work): if erasure.overwritingBegins() { clear(work) }
        case .quiescing(let work):
            guard erasure.holdCommits() else { break }
            let (last, time) = (log.committed, erasure.timeOfCommitted)
            state = .replacing(
                work, starter.start { () throws(StorageError) in try work.makeJournal(after: last, time) })
        case .replacing(let work, let job):
            guard let result = job.result else { break }
            try replaced(work, result, around.tick)
        case .zeroing(let work, let job):
            guard let result = job.result else { break }
            try result.get()
            let touches = try orders(work, around.engine).contains(where: \.touchesModels)
            state = .models(work, replacement: touches ? around.rebuild?.ask() : nil)
            try advance(around)
        case .models(let work, let replacement):
            guard !around.declared.isErasing else { break }
            if let replacement, around.rebuild?.isErased(replacement) == false { break }
            state = .removing(work, removal(around))
        case .removing(let work, let job):
            guard let result = job.result else { break }
            if case .failure(let error) = result {
                wait(after: error, around.tick)
                return state = .models(work, replacement: nil)
            }
            around.finding?.wasErased()
            state = .announcing(work)
            try advance(around)
        case .announcing(let work):
            guard try isAnnounced(work, around) else { break }
            state = .ending(work, starter.start { () throws(StorageError) in try work.end() })
        case .ending(let work, let job):
            guard try outcome(of: job, around.tick) != nil else { break }
            ended(work)
        }
    }

    private func begin(_ around: Surroundings) {
        guard around.areJobsIdle, let work = erasure.begin() else { return }
        began = clock()
        prepare(work)
    }

    private func prepare(_ work: LogErasing) {
        state = .preparing(work, starter.start { () throws(StorageError) in try work.prepare() })
    }

    private func clear(_ work: LogErasing, after _: Void = ()) {
        state = .clearing(work, starter.start { () throws(StorageError) in try work.zeroUnused() })
    }

    /// Returns the value of a job that has ended; one that found no room is begun again in a second.
    ///
    /// - Throws: any other error of the job.
    private func outcome<Value>(of job: BackgroundJob<Value>, _ tick: UInt64) throws(StorageError) -> Value? {
        guard let result = job.result else { return nil }
        do throws(StorageError) { return try result.get() } catch {
            guard case .full = error else { throw error }
            wait(after: error, tick)
            switch state {
            case .preparing(let work, _): prepare(work)
            case .ending(let work, _): state = .announcing(work)
            case _: throw error
            }
            return nil
        }
    }

    private func wait(after error: StorageError, _ tick: UInt64) {
        trace.sayEachSecond("not-erased", ["reason": "\(error)", "then": "tried again in a second"])
        retry = RetryTimer(at: tick)
    }

    private func replaced(
        _ work: LogErasing, _ result: Result<NewJournal, StorageError>, _ tick: UInt64
    ) throws(StorageError) {
        do throws(StorageError) {
            guard let old = erasure.replaceJournal(by: try result.get()) else { return }
            erasure.commitsGoOn()
            state = .zeroing(work, starter.start { () throws(StorageError) in try old.zero() })
        } catch {
            guard case .full = error else { throw error }
            erasure.commitsGoOn()
            wait(after: error, tick)
            state = .quiescing(work)
        }
    }

    /// Begins to remove the retired models, and the index of words, which may have some of the erased events.
    private func removal(_ around: Surroundings) -> BackgroundJob<Void> {
        let models = around.declared.parts.modelFolders.eraseRetired()
        let words = around.finding?.erase()
        return starter.start { () throws(StorageError) in
            try models()
            try words?()
        }
    }

    private func isAnnounced(_ work: LogErasing, _ around: Surroundings) throws(StorageError) -> Bool {
        var isAnnounced = true
        for erased in try orders(work, around.engine) {
            numbers.insert(erased.number)
            if let end = try around.engine.erasures.end(of: erased) {
                if end > around.acknowledged { isAnnounced = false }
            } else if try around.announce(erased) != nil {
                isAnnounced = false
            }
        }
        return isAnnounced
    }

    /// Returns the orders that are carried out, in the order of the log.
    private func orders(_ work: LogErasing, _ engine: Engine) throws(StorageError) -> [ErasedRecord] {
        var orders: [ErasedRecord] = []
        for eraser in work.erasers { if let order = try engine.erasures.erased(at: eraser) { orders.append(order) } }
        return orders
    }

    private func ended(_ work: LogErasing) {
        erasure.end(work.erasers)
        taken.subtract(work.erasers)
        figures.erasures += UInt64(numbers.count)
        let ids = numbers.sorted().map { "\($0)" }.joined(separator: ",")
        trace.say("erased", ["id": ids, "ms": "\((clock() - began) / 1_000_000)"])
        numbers = []
        state = .idle
    }

    /// Waits for the step in progress, after the loop has ended.
    ///
    /// - Throws: an error after which nothing may be stored.
    func end() throws(StorageError) {
        switch state {
        case .preparing(_, let job): _ = job.wait()
        case .overwriting(_, let job): _ = job.wait()
        case .clearing(_, let job): _ = job.wait()
        case .zeroing(_, let job), .removing(_, let job): _ = job.wait()
        case .ending(_, let job): _ = job.wait()
        case .replacing(let work, let job): try replaced(work, job.wait(), 0)
        case .idle, .unread, .uncleared, .quiescing, .models, .announcing: break
        }
        if case .zeroing(_, let job) = state { _ = job.wait() }
        erasure.overwritingEnded()
        erasure.commitsGoOn()
        state = .idle
    }
}
