/// The state of the engine, as the answers to a node's calls tell it.
struct EngineState: Equatable {
    /// The cluster of the engine; nil before the log was found there.
    var cluster: UInt64?
    /// The reason why the engine refuses what this node has to do; nil once it took something.
    var refusal: String?
    /// The last time that the engine was found to have an earlier state than it had; nil since the process began.
    private(set) var setBack: EngineSetBack?

    /// Takes note of an answer, and of a refusal that a person has to see to.
    ///
    /// - Parameters:
    ///   - isDuty: whether the node cannot go on without the call.
    ///   - setBack: the revisions where the answer has a lower one than the engine had.
    /// - Returns: false where another engine answers than the one that the log was found in.
    mutating func heard(
        _ answer: EngineAnswer, isDuty: Bool, _ setBack: EngineSetBack?, _ calls: inout Calls
    ) -> Bool {
        if let setBack {
            self.setBack = setBack
            calls.act(.engineSetBack(setBack))
        }
        if case .refused(let refusal) = answer, let reason = refusal.reason, isDuty || refusal == .denied {
            self.refusal = reason
            calls.act(.engineRefuses(reason))
        }
        guard let header = answer.linearizable, let cluster else { return true }
        return header.cluster == cluster
    }
}

/// The revisions of an engine that has an earlier state than it had, such as one that was restored from a copy.
package struct EngineSetBack: Equatable, Sendable {
    /// The highest revision that it had before, and the one that it was found at.
    package let (from, to): (Int64, Int64)

    /// Notes both.
    package init(from: Int64, to: Int64) { (self.from, self.to) = (from, to) }
}
