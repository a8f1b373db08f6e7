package import StoryCluster
package import StoryCore
package import StoryServer

/// The engine of a log that several loops use: strict serializable, in memory.
package final class SharedEngine {
    package var engine = SimulatedEngine()
    /// Monotonic time in nanoseconds, for leases.
    package var now: UInt64 = 1
    /// Calls that were given up, and are still on their way.
    private var late: [EngineCall] = []

    /// Makes an engine that has the identity of a log.
    ///
    /// - Parameter record: the value of the log's key `id`.
    package init(_ record: LogRecord) {
        var record = record
        record.cluster = engine.cluster
        engine.put(LogKeys(log: "main").identity, record.value)
    }

    fileprivate func add(late call: EngineCall) { late.append(call) }

    /// Carries out the calls that were given up.
    package func carryOutLate() {
        for call in late { _ = engine.apply(call, at: now) }
        late = []
    }

    /// Takes the lead away from the node that has it.
    package func takeLeadAway() {
        let leader = EngineRange(from: LogKeys(log: "main").leader)
        _ = engine.apply(.transaction(EngineTransaction(conditions: [], then: [.delete(leader)])), at: now)
    }

    /// The last event of the log.
    package var end: Position {
        let keys = LogKeys(log: "main")
        let last = engine.pairs.keys.filter { $0.hasPrefix(keys.entries) }.max().flatMap { engine.pairs[$0] }
        guard let last, let (head, _, _) = try? EntryHead.read(last.value) else { return .zero }
        return head.last
    }
}

/// The calls of one loop to an engine in memory: the test says when they arrive, and what becomes of them.
package final class DrivenEngine: EngineCalls {
    /// The end of a call.
    package enum Fate: Equatable {
        case answered
        /// It never arrives, and its outcome is unknown.
        case lost
        /// It is carried out, and its answer is lost.
        case unanswered
        /// Its outcome is unknown, and it is carried out when the test says so.
        case late
        /// It arrives when the test says so.
        case held
    }

    /// A watch, and the next revision that it tells.
    private struct Watch {
        let range: EngineRange
        var next: Int64
    }

    package weak var receiver: (any EngineReceiver)?
    package let shared: SharedEngine
    /// The end of each call from now on.
    package var fate: (EngineCall) -> Fate = { _ in .answered }
    /// True while nothing arrives, and nothing is told.
    package var isCut = false
    private var calls: [(id: CallID, call: EngineCall)] = []
    private var held: [(id: CallID, call: EngineCall)] = []
    private var watches: [WatchID: Watch] = [:]
    package private(set) var isPaused = false
    package private(set) var hasEnded = false

    package init(_ shared: SharedEngine) { self.shared = shared }

    // MARK: EngineCalls

    package func call(_ id: CallID, _ call: EngineCall, endpoint: Int) { calls.append((id, call)) }
    package func watch(_ id: WatchID, _ range: EngineRange, from revision: Int64, endpoint: Int) {
        watches[id] = Watch(range: range, next: revision)
    }
    package func endWatch(_ id: WatchID) { watches[id] = nil }
    package func pauseWatches() { isPaused = true }
    package func resumeWatches() { isPaused = false }
    package func ticked(at now: UInt64) {}
    package func end() {
        hasEnded = true
        (calls, held, watches) = ([], [], [:])
    }

    // MARK: The test

    /// Has calls arrive and watches tell; returns true where the loop was told something.
    package func deliver() -> Bool {
        let arrived = calls
        calls = []
        var isTold = false
        for (id, call) in arrived {
            switch isCut ? .lost : fate(call) {
            case .answered:
                isTold = true
                receiver?.answered(id, shared.engine.apply(call, at: shared.now))
            case .lost:
                isTold = true
                receiver?.answered(id, .unknown)
            case .unanswered:
                isTold = true
                _ = shared.engine.apply(call, at: shared.now)
                receiver?.answered(id, .unknown)
            case .late:
                isTold = true
                shared.add(late: call)
                receiver?.answered(id, .unknown)
            case .held: held.append((id, call))
            }
        }
        return tellWatches() || isTold
    }

    /// The number of calls that the test holds.
    package var heldCount: Int { held.count }

    /// Has the calls arrive that were held.
    package func release() {
        let released = held
        held = []
        for (id, call) in released { receiver?.answered(id, shared.engine.apply(call, at: shared.now)) }
    }

    /// The held calls are carried out, and nobody is told.
    package func carryOutHeld() {
        for (_, call) in held { _ = shared.engine.apply(call, at: shared.now) }
        held = []
    }

    /// Breaks all watches.
    package func breakWatches() {
        let broken = watches.keys.sorted { "\($0)" < "\($1)" }
        watches = [:]
        for id in broken { receiver?.watchEnded(id, .broken) }
    }

    private func tellWatches() -> Bool {
        guard !isCut, !isPaused else { return false }
        shared.engine.expire(at: shared.now)
        var isTold = false
        for (id, watch) in watches.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard watch.next > shared.engine.compacted else {
                watches[id] = nil
                isTold = true
                receiver?.watchEnded(id, .compacted)
                continue
            }
            let new = shared.engine.changes.filter { $0.revision >= watch.next && watch.range.holds($0.change.key) }
            guard let last = new.last?.revision else { continue }
            watches[id]?.next = last + 1
            isTold = true
            let header = EngineHeader(cluster: shared.engine.cluster, revision: last)
            receiver?.watched(id, EngineWatchBatch(new.map(\.change), header))
        }
        return isTold
    }
}

extension EngineCall {
    /// True for the transaction that makes an entry one of the log.
    package var isEntry: Bool {
        guard case .transaction(let transaction) = self else { return false }
        return transaction.conditions.count == 2
    }
}
