import StoryCluster
import StoryCore

/// The calls of a node to the engine that are under way; each is counted and timed.
struct CountedCalls {
    /// A call under way.
    private struct Call {
        let began: UInt64
        /// True for a call that the engine refuses where another node leads.
        let isOfLeader: Bool
    }

    private let leader: String
    private let figures: Figures
    private let steady: () -> UInt64
    private var calls: [CallID: Call] = [:]

    init(of keys: LogKeys, _ figures: Figures, steady: @escaping () -> UInt64) {
        (leader, self.figures, self.steady) = (keys.leader, figures, steady)
    }

    mutating func began(_ id: CallID, _ call: EngineCall) {
        calls[id] = Call(began: steady(), isOfLeader: isOfLeader(call))
    }

    private func isOfLeader(_ call: EngineCall) -> Bool {
        guard case .transaction(let transaction) = call else { return false }
        return transaction.conditions.contains { condition in
            if case .created(leader, let revision) = condition { revision > 0 } else { false }
        }
    }

    mutating func ended(_ id: CallID, _ answer: EngineAnswer) {
        guard let call = calls.removeValue(forKey: id) else { return }
        let now = steady()
        figures.engine.ended(outcome(of: call, answer), nanoseconds: now - min(call.began, now))
    }

    private func outcome(of call: Call, _ answer: EngineAnswer) -> EngineFigures.Outcome {
        switch answer {
        case .unknown, .full: .unknown
        case .transacted(false, _, _) where call.isOfLeader: .fenced
        case .ranged, .transacted, .granted, .renewed, .revoked, .compacted, .status, .refused: .answered
        }
    }
}
