import StoryCluster
import StoryCore

/// The calls of a node to the ordering service that are under way; each is counted and timed.
struct CountedCalls {
    /// A call under way.
    private struct Call {
        let began: UInt64
        /// True for a call that the ordering service refuses where another node leads.
        let isOfLeader: Bool
        /// True for a call that needs room.
        let isWrite: Bool
    }

    private let leader: String
    private let figures: Figures
    private let steady: () -> UInt64
    private var calls: [CallID: Call] = [:]
    /// How long calls may stay without an answer before the ordering service counts as lost, in nanoseconds.
    private static let mostSilence: UInt64 = 2_000_000_000
    /// When the ordering service answered last, or the process began.
    private var heardAt: UInt64
    /// When the first of the calls began that were not answered since.
    private var unansweredSince: UInt64?
    /// True from an answer that there is no room until something is written.
    private(set) var isFull = false

    init(of keys: LogKeys, _ figures: Figures, steady: @escaping () -> UInt64) {
        (leader, self.figures, self.steady) = (keys.leader, figures, steady)
        heardAt = steady()
    }

    /// The nanoseconds since the ordering service answered, or since the start.
    var silence: UInt64 {
        let now = steady()
        return now - min(heardAt, now)
    }

    /// True while the ordering service answers no call.
    var isLost: Bool {
        guard let unansweredSince else { return false }
        let now = steady()
        return now - min(unansweredSince, now) >= CountedCalls.mostSilence
    }

    mutating func began(_ id: CallID, _ call: OrderingCall) {
        calls[id] = Call(began: steady(), isOfLeader: isOfLeader(call), isWrite: isWrite(call))
    }

    private func isOfLeader(_ call: OrderingCall) -> Bool {
        guard case .transaction(let transaction) = call else { return false }
        return transaction.conditions.contains { condition in
            if case .created(leader, let revision) = condition { revision > 0 } else { false }
        }
    }

    private func isWrite(_ call: OrderingCall) -> Bool {
        guard case .transaction(let transaction) = call else { return false }
        return transaction.then.contains { if case .put = $0 { true } else { false } }
    }

    mutating func ended(_ id: CallID, _ answer: OrderingAnswer) {
        guard let call = calls.removeValue(forKey: id) else { return }
        let now = steady()
        figures.ordering.ended(outcome(of: call, answer), nanoseconds: now - min(call.began, now))
        if case .unknown = answer {
            let since = max(call.began, heardAt)
            return unansweredSince = min(unansweredSince ?? since, since)
        }
        (heardAt, unansweredSince) = (now, nil)
        switch answer {
        case .full: isFull = true
        case .transacted(true, _, _) where call.isWrite: isFull = false
        case .transacted, .ranged, .granted, .renewed, .revoked, .compacted, .status, .refused, .unknown: break
        }
    }

    private func outcome(of call: Call, _ answer: OrderingAnswer) -> OrderingFigures.Outcome {
        switch answer {
        case .unknown, .full: .unknown
        case .transacted(false, _, _) where call.isOfLeader: .fenced
        case .ranged, .transacted, .granted, .renewed, .revoked, .compacted, .status, .refused: .answered
        }
    }
}
