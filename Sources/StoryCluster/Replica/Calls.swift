/// The actions of one input, and the numbers of its calls.
struct Calls: Equatable {
    /// The number of endpoints of the ordering service.
    let endpoints: Int
    private(set) var endpoint = 0
    private var last: UInt64 = 0
    private(set) var actions: [ClusterAction] = []
    /// The number of calls that were made again.
    private(set) var retries: UInt64 = 0
    /// The highest revision that the ordering service is known to have had.
    private var revision: Int64 = 0
    /// That revision when each call was made that has no answer.
    private var revisions: [CallID: Int64] = [:]

    init(endpoints: Int) { self.endpoints = max(1, endpoints) }

    mutating func send(_ call: OrderingCall) -> CallID {
        last += 1
        revisions[CallID(last)] = revision
        actions.append(.call(CallID(last), call, endpoint: endpoint))
        return CallID(last)
    }

    /// Notes a revision that the ordering service has.
    mutating func saw(_ revision: Int64) { self.revision = max(self.revision, revision) }

    /// Notes the revision of an answer.
    ///
    /// - Returns: both revisions where the ordering service has a lower one than it had before the call was made.
    mutating func answered(_ id: CallID, at header: OrderingHeader?) -> OrderingSetBack? {
        guard let before = revisions.removeValue(forKey: id), let header else { return nil }
        guard header.revision < before else {
            saw(header.revision)
            return nil
        }
        // The calls under way are not compared with a state that is lost.
        (revision, revisions) = (header.revision, revisions.mapValues { _ in 0 })
        return OrderingSetBack(from: before, to: header.revision)
    }

    /// Makes a call once more.
    mutating func sendAgain(_ call: OrderingCall) -> CallID {
        retries += 1
        return send(call)
    }

    mutating func watch(_ id: WatchID, _ range: OrderingRange, from revision: Int64) {
        actions.append(.watch(id, range, from: revision, endpoint: endpoint))
    }

    mutating func act(_ action: ClusterAction) { actions.append(action) }

    /// Goes to the next endpoint with the calls that follow.
    mutating func turn() { endpoint = (endpoint + 1) % endpoints }

    mutating func take() -> [ClusterAction] {
        defer { actions = [] }
        return actions
    }
}

/// A call that is tried until its outcome is known.
struct Attempt: Equatable {
    /// The shortest and the longest wait before another try, in nanoseconds.
    static let waits: ClosedRange<UInt64> = 20_000_000...500_000_000
    /// The wait after a refusal, which a person has to see to, in nanoseconds.
    private static let waitOfRefused: UInt64 = 1_000_000_000

    let call: OrderingCall
    /// The try under way; nil between two.
    private(set) var id: CallID?
    /// When the next try is due, in nanoseconds.
    private(set) var retryAt: UInt64 = 0
    private var wait = waits.lowerBound

    init(_ call: OrderingCall, _ calls: inout Calls) {
        self.call = call
        id = calls.send(call)
    }

    /// Notes that the outcome of the try is unknown, or that it was refused for now.
    mutating func failed(_ calls: inout Calls, at now: UInt64) {
        id = nil
        retryAt = now + wait
        wait = min(2 * wait, Attempt.waits.upperBound)
        calls.turn()
    }

    /// Notes that the ordering service refused the try, and may take a later one once a person has seen to it.
    mutating func refused(_ calls: inout Calls, at now: UInt64) {
        failed(&calls, at: now)
        retryAt = now + Attempt.waitOfRefused
    }

    /// Tries again when that is due.
    mutating func ticked(_ calls: inout Calls, at now: UInt64) {
        if id == nil, retryAt <= now { id = calls.sendAgain(call) }
    }
}

/// The state of the ordering service, as the answers to a node's calls tell it.
struct OrderingState: Equatable {
    /// The cluster of the ordering service; nil before the log was found there.
    var cluster: UInt64?
    /// The reason why the ordering service refuses what this node has to do; nil once it took something.
    var refusal: String?
    /// The last time that the ordering service was found to have an earlier state than it had; nil since the process
    /// began.
    private(set) var setBack: OrderingSetBack?

    /// Takes note of an answer, and of a refusal that a person has to see to.
    ///
    /// - Parameters:
    ///   - isDuty: whether the node cannot go on without the call.
    ///   - setBack: the revisions where the answer has a lower one than the ordering service had.
    /// - Returns: false where another ordering service answers than the one that the log was found in.
    mutating func heard(
        _ answer: OrderingAnswer, isDuty: Bool, _ setBack: OrderingSetBack?, _ calls: inout Calls
    ) -> Bool {
        if let setBack {
            self.setBack = setBack
            calls.act(.etcdSetBack(setBack))
        }
        if case .refused(let refusal) = answer, let reason = refusal.reason, isDuty || refusal == .denied {
            self.refusal = reason
            calls.act(.etcdRefuses(reason))
        }
        guard let header = answer.linearizable, let cluster else { return true }
        return header.cluster == cluster
    }
}
