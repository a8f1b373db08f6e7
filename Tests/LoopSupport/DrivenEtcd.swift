package import StoryCluster
package import StoryCore
package import StoryServer
package import TestSupport

/// The ordering service of a log that several loops use: strict serializable, in memory.
package final class SharedEtcd {
    package var etcd = SimulatedEtcd()
    /// Monotonic time in nanoseconds, for leases.
    package var now: UInt64 = 1
    /// Calls that were given up, and are still on their way.
    private var late: [OrderingCall] = []

    /// Makes an ordering service that has the identity of a log.
    ///
    /// - Parameter record: the value of the log's key `id`.
    package init(_ record: LogRecord) {
        var record = record
        record.cluster = etcd.cluster
        etcd.put(LogKeys(log: "main").identity, record.value)
    }

    fileprivate func add(late call: OrderingCall) { late.append(call) }

    /// The number of calls that were given up, and are still on their way.
    package var lateCount: Int { late.count }

    /// Carries out the calls that were given up.
    package func carryOutLate() { while !late.isEmpty { carryOutLate(0) } }

    /// Carries out one of the calls that were given up.
    package func carryOutLate(_ index: Int) { _ = etcd.apply(late.remove(at: index), at: now) }

    /// Takes the lead away from the node that has it.
    package func takeLeadAway() {
        let leader = OrderingRange(from: LogKeys(log: "main").leader)
        _ = etcd.apply(.transaction(OrderingTransaction(conditions: [], then: [.delete(leader)])), at: now)
    }

    /// The last event of the log.
    package var end: Position {
        let keys = LogKeys(log: "main")
        let last = etcd.pairs.keys.filter { $0.hasPrefix(keys.entries) }.max().flatMap { etcd.pairs[$0] }
        guard let last, let (head, _, _) = try? EntryHead.read(last.value) else { return .zero }
        return head.last
    }
}

/// The calls of one loop to an ordering service in memory: the test says when they arrive, and what becomes of them.
package final class DrivenEtcd: OrderingService {
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
        /// It is carried out, and its answer arrives when the test says so.
        case answeredLater
    }

    /// A call that waits for the test.
    private struct Held {
        let id: CallID
        let call: OrderingCall
        /// The answer, once it was carried out.
        var answer: OrderingAnswer?
        let since: UInt64
    }

    /// A watch, and the next revision that it tells.
    private struct Watch {
        let range: OrderingRange
        var next: Int64
    }

    package weak var receiver: (any OrderingReceiver)?
    package let shared: SharedEtcd
    /// The end of each call from now on.
    package var fate: (OrderingCall) -> Fate = { _ in .answered }
    /// True while nothing arrives, and nothing is told.
    package var isCut = false
    /// True while calls arrive, and nothing is told.
    package var isDeaf = false
    /// True while calls are lost, and watches tell.
    package var isMute = false
    /// The most changes that a watch tells now.
    package var watchedAtOnce: () -> Int = { .max }
    /// Changes a call on its way to the ordering service.
    package var onTheWay: (OrderingCall) -> OrderingCall = { $0 }
    /// Changes an answer on its way back.
    package var onTheWayBack: (OrderingCall, OrderingAnswer) -> OrderingAnswer = { $1 }
    private var calls: [(id: CallID, call: OrderingCall)] = []
    private var held: [Held] = []
    private var watches: [WatchID: Watch] = [:]
    package private(set) var isPaused = false
    package private(set) var hasEnded = false

    package init(_ shared: SharedEtcd) { self.shared = shared }

    // MARK: OrderingService

    package func call(_ id: CallID, _ call: OrderingCall, endpoint: Int) {
        if !hasEnded { calls.append((id, call)) }
    }
    package func watch(_ id: WatchID, _ range: OrderingRange, from revision: Int64, endpoint: Int) {
        watches[id] = Watch(range: range, next: revision)
    }
    package func endWatch(_ id: WatchID) { watches[id] = nil }
    package func pauseWatches() { isPaused = true }
    package func resumeWatches() { isPaused = false }
    package func ticked(at now: UInt64) {}
    package func end() {
        hasEnded = true
        for one in held where one.answer == nil { shared.add(late: onTheWay(one.call)) }
        (calls, held, watches) = ([], [], [:])
    }

    // MARK: The test

    /// Has calls arrive and watches tell; returns true where the loop was told something.
    package func deliver() -> Bool {
        let arrived = calls
        calls = []
        var isTold = false
        for (id, call) in arrived where !hasEnded {
            let fate = isCut || isMute ? .lost : isDeaf ? .unanswered : fate(call)
            switch fate {
            case .answered: tell(id, call, carryOut(call))
            case .lost: tell(id, call, .unknown)
            case .unanswered:
                _ = carryOut(call)
                tell(id, call, .unknown)
            case .late:
                shared.add(late: onTheWay(call))
                tell(id, call, .unknown)
            case .held: held.append(Held(id: id, call: call, since: shared.now))
            case .answeredLater:
                held.append(Held(id: id, call: call, answer: carryOut(call), since: shared.now))
            }
            if fate != .held, fate != .answeredLater { isTold = true }
        }
        return tellWatches() || isTold
    }

    private func carryOut(_ call: OrderingCall) -> OrderingAnswer { shared.etcd.apply(onTheWay(call), at: shared.now) }

    private func tell(_ id: CallID, _ call: OrderingCall, _ answer: OrderingAnswer) {
        receiver?.answered(id, onTheWayBack(call, answer))
    }

    /// The number of calls that the test holds.
    package var heldCount: Int { held.count }

    /// Has the calls arrive that were held.
    package func release() {
        let released = held
        held = []
        for one in released { tell(one.id, one.call, one.answer ?? carryOut(one.call)) }
    }

    /// Has one of the held calls arrive, or its answer.
    package func advanceHeld(_ index: Int) {
        guard held[index].answer != nil else { return held[index].answer = carryOut(held[index].call) }
        let one = held.remove(at: index)
        if let answer = one.answer { tell(one.id, one.call, answer) }
    }

    /// Gives up the held calls that are older than a second: the ordering service may get them later.
    package func giveUpHeld() {
        let old = held.filter { $0.since + 1_000_000_000 <= shared.now }
        held.removeAll { $0.since + 1_000_000_000 <= shared.now }
        for one in old {
            if one.answer == nil { shared.add(late: onTheWay(one.call)) }
            tell(one.id, one.call, .unknown)
        }
    }

    /// The held calls are carried out, and nobody is told.
    package func carryOutHeld() {
        for one in held where one.answer == nil { _ = carryOut(one.call) }
        held = []
    }

    /// Breaks all watches.
    package func breakWatches() {
        let broken = watches.keys.sorted { "\($0)" < "\($1)" }
        watches = [:]
        for id in broken { receiver?.watchEnded(id, .broken) }
    }

    private func tellWatches() -> Bool {
        guard !isCut, !isDeaf, !isPaused, !hasEnded else { return false }
        shared.etcd.expire(at: shared.now)
        var isTold = false
        for (id, watch) in watches.sorted(by: { "\($0.key)" < "\($1.key)" }) where !hasEnded {
            guard watch.next > shared.etcd.compacted else {
                watches[id] = nil
                isTold = true
                receiver?.watchEnded(id, .compacted)
                continue
            }
            let all = shared.etcd.changes.filter { $0.revision >= watch.next && watch.range.holds($0.change.key) }
            guard let last = all.prefix(watchedAtOnce()).last?.revision else { continue }
            let new = all.prefix { $0.revision <= last }
            watches[id]?.next = last + 1
            isTold = true
            let header = OrderingHeader(cluster: shared.etcd.cluster, revision: last)
            receiver?.watched(id, OrderingWatchBatch(new.map(\.change), header))
        }
        return isTold
    }
}

extension OrderingCall {
    /// True for the transaction that makes an entry one of the log.
    package var isEntry: Bool {
        guard case .transaction(let transaction) = self else { return false }
        return transaction.conditions.count == 2
    }
}
