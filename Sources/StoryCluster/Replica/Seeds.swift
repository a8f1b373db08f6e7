import StoryCore

/// The order in which other nodes are asked for events that the engine no longer has: one after the other, by their names.
struct Seeds: Equatable {
    /// The wait before another node is asked, in nanoseconds.
    private static let wait: UInt64 = 1_000_000_000

    private(set) var isUnderWay = false
    private var nextAt: UInt64 = 0
    /// The node that was asked last; nil before the first of a round.
    private(set) var last: String?

    /// Returns true where a node can be asked.
    func isDue(at now: UInt64) -> Bool { !isUnderWay && now >= nextAt }

    /// Notes that a node is asked.
    mutating func began(with name: String) { (isUnderWay, last) = (true, name) }

    /// Notes that a node sent all that it was asked for, or not.
    mutating func ended(isComplete: Bool, at now: UInt64) {
        isUnderWay = false
        if isComplete { self = Seeds() } else { nextAt = now + Seeds.wait }
    }

    /// Begins the next round later, since every node was asked.
    mutating func roundEnded(at now: UInt64) { (last, nextAt) = (nil, now + Seeds.wait) }
}
