import StoryCore
import StoryEngine
import StoryFind
import StoryLog
import StoryStorage

/// The searches for words, and the index that they need: both are work beside the loop.
///
/// The index exists once somebody searches. From then on it is folded behind the log, at the latest by the search that
/// needs it; so an answer is never behind an event that was acknowledged before its request.
final class Finding {
    /// A search of events, or of a kind's rows.
    enum Search {
        case events(EventSearch)
        case rows(RowSearch)

        /// The last event that was durable when the request was handled.
        fileprivate var head: Position {
            switch self {
            case .events(let search): search.head
            case .rows(let search): search.head
            }
        }
    }

    /// A request that waits for its search, or for the end of it.
    private struct Asked {
        let search: Search
        let tag: Tag?
        let connection: Connection
        /// The tick at which it is `busy`.
        let deadline: UInt64
        /// When it was asked, in nanoseconds of the steady clock.
        let began: UInt64
    }

    /// The outcome of a search.
    private enum Outcome {
        case events(WordIndex.Found, EventSearch)
        case rows(WordIndex.FoundEntries, RowSearch)
        /// The number of events that the index lacks.
        case behind(UInt64)
    }

    private struct Running {
        let asked: Asked
        let job: BackgroundJob<Outcome>
    }

    /// The most searches at a time, and the most that wait.
    private static let (mostRunning, mostWaiting) = (2, 64)
    /// How long a search waits for the index, in ticks of 0.1 s and in nanoseconds.
    private static let (patience, patienceNanoseconds): (UInt64, UInt64) = (50, 5_000_000_000)
    /// The duration of a fold that nobody waits for, which keeps a snapshot of the log, in nanoseconds.
    private static let foldNanoseconds: UInt64 = 500_000_000

    let log: LMDBEventLog
    private let home: WordFiles
    private let setting: FindSetting
    private let starter: JobStarter
    private let clock: @Sendable () -> UInt64
    private let trace: Trace
    private let figures: Figures
    private let mustEnd = EndFlag()
    /// The index; nil while nobody has searched, and while its files are removed.
    private(set) var index: WordIndex?
    /// True once the index is kept.
    private(set) var isKept: Bool
    private(set) var isRemoving = false
    /// True from a failure of the index until it is folded again.
    private var isFailing = false { didSet { figures.set(.findBehind, isFailing) } }
    private var waiting: [Asked] = []
    private var running: [Running] = []
    private var fold: BackgroundJob<Void>?
    /// The tick before which no fold begins that nobody waits for.
    private var foldDue: UInt64 = 0

    /// - Parameters:
    ///   - home: the files of the index.
    ///   - setting: whether the index is made, and when.
    init(
        _ log: LMDBEventLog, home: WordFiles, _ setting: FindSetting, starter: JobStarter,
        clock: @escaping @Sendable () -> UInt64, trace: Trace, figures: Figures
    ) {
        (self.log, self.home, self.starter, self.clock) = (log, home, starter, clock)
        (self.trace, self.figures) = (trace, figures)
        self.setting = setting
        isKept = setting == .on || setting == .auto && home.exist
        if isKept { index = WordIndex(home, besides: .standard) }
    }

    /// The position that the index is folded up to; nil while there is none.
    var position: Position? { isKept ? index?.position ?? .zero : nil }
    /// The size of the index, in bytes.
    var bytes: Int { index?.bytes ?? 0 }

    // MARK: Requests

    /// Takes a search, which waits for its turn; returns a failure where too many wait, or words are not searched.
    func ask(_ search: Search, at tick: UInt64, _ tag: Tag?, for connection: Connection) -> Failure? {
        if setting == .off { return .noFind }
        waiting.removeAll { $0.connection.isEnding }
        guard waiting.count < Finding.mostWaiting else {
            return Failure(.busy, "\(waiting.count) searches wait already; ask again in a moment")
        }
        isKept = true
        if index == nil, !isRemoving { index = WordIndex(home, besides: .standard) }
        waiting.append(
            Asked(
                search: search, tag: tag, connection: connection, deadline: tick + Finding.patience, began: clock()))
        return nil
    }

    /// Begins the searches and the fold that are due.
    ///
    /// - Parameter stored: the last event that this process reads back after a restart.
    func advance(stored: Position, at tick: UInt64) {
        guard isKept, let index, !isRemoving else { return }
        while running.count < Finding.mostRunning,
            let next = waiting.firstIndex(where: { $0.search.head <= stored })
        {
            if !waiting[next].connection.isEnding {
                // Without a snapshot of the log it waits for a later turn.
                guard let job = begin(waiting[next].search, index) else { return }
                running.append(Running(asked: waiting[next], job: job))
            }
            waiting.remove(at: next)
        }
        let isDue = index.position < stored || isFailing
        guard isDue, fold == nil, running.isEmpty, tick >= foldDue else { return }
        beginFold(index, through: stored, at: tick)
    }

    /// Begins a search; returns nil where the log cannot be read now.
    private func begin(_ search: Search, _ index: WordIndex) -> BackgroundJob<Outcome>? {
        do throws(StorageError) {
            let view = try LogView(log)
            let (clock, mustEnd) = (clock, mustEnd)
            return starter.start { () throws(StorageError) in
                defer { view.close() }
                return try index.wanted { () throws(StorageError) -> Outcome in
                    let deadline = clock() + Finding.patienceNanoseconds
                    try index.fold(view, through: search.head) { mustEnd.isSet || clock() >= deadline }
                    guard index.position >= search.head else {
                        return .behind(search.head.value - index.position.value)
                    }
                    switch search {
                    case .events(let search): return .events(try index.find(search, in: view) { mustEnd.isSet }, search)
                    case .rows(let search):
                        let most = Finding.mostRows(search.query)
                        return .rows(try index.find(search, atMost: most, in: view) { mustEnd.isSet }, search)
                    }
                }
            }
        } catch {
            failed(error)
            return nil
        }
    }

    /// Returns the number of rows that a page needs at most: of those that its filters are tried on, or of its own.
    private static func mostRows(_ query: RowFindQuery) -> Int {
        query.conditions.isEmpty ? query.limit : max(query.limit, Limits().looks)
    }

    /// Folds the stored events while nobody waits for that.
    private func beginFold(_ index: WordIndex, through stored: Position, at tick: UInt64) {
        do throws(StorageError) {
            let view = try LogView(log)
            let (clock, mustEnd) = (clock, mustEnd)
            fold = starter.start { () throws(StorageError) in
                defer { view.close() }
                let end = clock() + Finding.foldNanoseconds
                try index.fold(view, through: stored) { mustEnd.isSet || index.isWanted || clock() >= end }
            }
        } catch {
            foldEnded(.failure(error), at: tick)
        }
    }

    // MARK: Ends

    /// A request whose search has ended.
    struct Ended {
        let connection: Connection
        let tag: Tag?
        let result: Result<any AnswerCursor, Failure>
    }

    /// Takes the searches and the fold that have ended, and the requests whose patience is over.
    func ended(_ engine: Engine, at tick: UInt64) -> [Ended] {
        guard isKept else { return [] }
        if let result = fold?.result {
            fold = nil
            foldEnded(result, at: tick)
        }
        if let reason = index?.takeRenewal() { trace.say("find-anew", ["reason": reason]) }
        var ended: [Ended] = []
        running.removeAll { running in
            guard let result = running.job.result else { return false }
            ended.append(end(running.asked, result, by: engine))
            return true
        }
        waiting.removeAll { asked in
            guard asked.deadline <= tick, !asked.connection.isEnding else { return asked.connection.isEnding }
            ended.append(
                Ended(connection: asked.connection, tag: asked.tag, result: .failure(behind(asked.search.head))))
            return true
        }
        return ended
    }

    private func end(_ asked: Asked, _ result: Result<Outcome, StorageError>, by engine: Engine) -> Ended {
        let outcome: Result<any AnswerCursor, Failure>
        switch result {
        case .success(.events(let found, let search)):
            succeeded(asked)
            outcome = .success(engine.found(found.positions, next: found.next, of: search))
        case .success(.rows(let found, let search)):
            succeeded(asked)
            outcome = .success(engine.found(found.rows, next: found.next, of: search))
        case .success(.behind): outcome = .failure(behind(asked.search.head))
        case .failure(let error):
            failed(error)
            if case .corrupt = error {
                outcome = .failure(.storage(error))
            } else {
                outcome = .failure(behind(asked.search.head))
            }
        }
        return Ended(connection: asked.connection, tag: asked.tag, result: outcome)
    }

    private func foldEnded(_ result: Result<Void, StorageError>, at tick: UInt64) {
        switch result {
        case .success:
            isFailing = false
            // The rest of a long fold follows at once, new events in a second.
            foldDue = (index?.position ?? .zero) < log.flushed ? tick : tick + Ticks.perSecond
        case .failure(let error):
            foldDue = tick + Ticks.perSecond
            failed(error)
        }
    }

    private func succeeded(_ asked: Asked) {
        isFailing = false
        figures.found(nanoseconds: clock() - asked.began)
    }

    private func failed(_ error: StorageError) {
        // An index that is given up fails whoever still uses it.
        guard !isRemoving else { return }
        isFailing = true
        trace.sayEachSecond("find-behind", ["reason": "\(error)", "then": "tried again in a second"])
    }

    private func behind(_ head: Position) -> Failure {
        let position = min(index?.position ?? .zero, head)
        let count = head.value - position.value
        let state =
            isFailing
            ? "cannot be used now, the daemon's trace says why; ask again later"
            : "is made: \(count) events are not in it yet; ask again in a moment"
        return Failure(.busy, "the index of words \(state)", .behind(count))
    }

    // MARK: Erasures

    /// Gives the index up, whose words may be those of erased events; returns the removal of its files, for any thread.
    func erase() -> @Sendable () throws(StorageError) -> Void {
        let old = index ?? WordIndex(home, besides: .standard)
        (index, isRemoving) = (nil, true)
        return { () throws(StorageError) in try old.erase() }
    }

    /// Begins the index again, whose files are gone.
    func wasErased() {
        guard isRemoving else { return }
        isRemoving = false
        if isKept { index = WordIndex(home, besides: .standard) }
    }

    /// Waits for the work in progress, before the log is closed.
    func end() {
        mustEnd.set()
        _ = fold?.wait()
        for running in running { _ = running.job.wait() }
        (fold, running, waiting) = (nil, [], [])
        index?.close()
    }
}

extension Failure {
    /// The failure of a search where there is no index of words.
    static let noFind = Failure(.denied, "this store has no index of words: its setting find is off")
}
