import StoryCluster
import StoryCore

/// The questions for the end of the log in the ordering service, which `min=now` waits for.
///
/// One call is under way at a time. Its answer is good for all that was asked before it began; one call more is for all
/// that was asked meanwhile. A call whose answer is lost is made again until nobody waits any more.
struct PositionQuestions {
    private let keys: LogKeys
    /// How long a question is asked again, in ticks of 0.1 s.
    private let patience: UInt64
    /// The number of the last question.
    private var last: UInt64 = 0
    private var answered: UInt64 = 0
    /// When the last question is given up, as a tick.
    private var deadline: UInt64 = 0
    private var underWay: (id: CallID, last: UInt64)?
    /// The number of calls so far. Their IDs are above all of the node's own.
    private var count: UInt64 = 0

    init(_ keys: LogKeys, patience: UInt64) {
        self.keys = keys
        self.patience = patience
    }

    /// Adds a question, and returns its number.
    mutating func ask(at tick: UInt64) -> UInt64 {
        last += 1
        deadline = tick + patience
        return last
    }

    /// Returns the call that is to be made now; nil while one is under way, or nobody waits.
    mutating func next(at tick: UInt64) -> (id: CallID, call: OrderingCall, endpoint: Int)? {
        guard underWay == nil, answered < last, tick <= deadline else { return nil }
        count += 1
        let id = CallID(1 << 63 | count)
        underWay = (id, last)
        let entries = OrderingRange.prefix(keys.entries, limit: 1, order: .descending, isKeysOnly: true)
        return (id, .range(entries), Int(count % 1_024))
    }

    /// Takes the answer to a call of these.
    ///
    /// - Returns: the number of the newest question that it answers, and the first position of the last entry, which a
    ///   node has whole or not at all; nil where the answer tells no position.
    mutating func answered(_ answer: OrderingAnswer) -> (question: UInt64, position: Position)? {
        guard let asked = underWay?.last else { return nil }
        underWay = nil
        guard case .ranged(let ranged, _) = answer else { return nil }
        answered = asked
        return (asked, ranged.keys.first.flatMap { keys.first(ofKey: $0.key) } ?? .zero)
    }

    /// Returns true for the call that is under way.
    func owns(_ id: CallID) -> Bool { underWay?.id == id }
}
