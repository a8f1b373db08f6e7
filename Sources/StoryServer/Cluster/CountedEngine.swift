import StoryCluster
import StoryCore
import StoryReactor

/// An engine whose calls are counted and timed.
final class CountedEngine: EngineCalls {
    /// A call under way.
    private struct Call {
        let began: UInt64
        /// True for a call that the engine refuses where another node leads.
        let isOfLeader: Bool
    }

    weak var receiver: (any EngineReceiver)? { didSet { engine.receiver = self } }
    private let engine: any EngineCalls
    private let leader: String
    private let figures: Figures
    private let steady: () -> UInt64
    private var calls: [CallID: Call] = [:]

    init(_ engine: any EngineCalls, of keys: LogKeys, _ figures: Figures, steady: @escaping () -> UInt64) {
        (self.engine, leader, self.figures, self.steady) = (engine, keys.leader, figures, steady)
    }

    func call(_ id: CallID, _ call: EngineCall, endpoint: Int) {
        calls[id] = Call(began: steady(), isOfLeader: isOfLeader(call))
        engine.call(id, call, endpoint: endpoint)
    }

    private func isOfLeader(_ call: EngineCall) -> Bool {
        guard case .transaction(let transaction) = call else { return false }
        return transaction.conditions.contains { condition in
            if case .created(leader, let revision) = condition { revision > 0 } else { false }
        }
    }

    func watch(_ id: WatchID, _ range: EngineRange, from revision: Int64, endpoint: Int) {
        engine.watch(id, range, from: revision, endpoint: endpoint)
    }
    func endWatch(_ id: WatchID) { engine.endWatch(id) }
    func pauseWatches() { engine.pauseWatches() }
    func resumeWatches() { engine.resumeWatches() }
    func ticked(at now: UInt64) { engine.ticked(at: now) }
    func end() { engine.end() }
    func owns(_ id: ConnectionID) -> Bool { engine.owns(id) }
    func connected(_ id: ConnectionID) { engine.connected(id) }
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) { engine.bytesReceived(id, bytes) }
    func closed(_ id: ConnectionID) { engine.closed(id) }
    func turnEnded() { engine.turnEnded() }
}

extension CountedEngine: EngineReceiver {
    func answered(_ id: CallID, _ answer: EngineAnswer) {
        if let call = calls.removeValue(forKey: id) {
            let now = steady()
            figures.engine.ended(outcome(of: call, answer), nanoseconds: now - min(call.began, now))
        }
        receiver?.answered(id, answer)
    }

    private func outcome(of call: Call, _ answer: EngineAnswer) -> EngineFigures.Outcome {
        switch answer {
        case .unknown, .full: .unknown
        case .transacted(false, _, _) where call.isOfLeader: .fenced
        case .ranged, .transacted, .granted, .renewed, .revoked, .compacted, .status, .refused: .answered
        }
    }

    func watched(_ id: WatchID, _ batch: EngineWatchBatch) { receiver?.watched(id, batch) }
    func watchEnded(_ id: WatchID, _ end: EngineWatchEnd) { receiver?.watchEnded(id, end) }
}
