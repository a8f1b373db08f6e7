import StoryCore

/// The entries that the ordering service has, as far as this process saw them come, with their sizes.
struct Tail: Equatable {
    private struct Kept: Equatable {
        let first: Position
        let bytes: Int
    }

    /// The first position that this process saw come: how much the ordering service has before it is not known.
    let seenFrom: Position
    /// The size of the entries, in bytes.
    private(set) var bytes = 0
    private var kept: [Kept] = []
    /// The first position that the ordering service has an event of, or the next one where it has none.
    private(set) var first = Position.zero.next

    var size: TailSize { TailSize(first: first, bytes: bytes) }
    /// The size without the last entry, which is never removed.
    var removableBytes: Int { bytes - (kept.last?.bytes ?? 0) }

    /// Begins behind the log's head when the process starts.
    init(after head: Position) { seenFrom = head.next }

    /// Notes the first position that the ordering service has when this node joins.
    mutating func joined(_ first: Position) { self.first = max(self.first, first) }

    /// Notes an entry; one that was noted before is known.
    mutating func added(_ head: EntryHead) {
        guard head.first > kept.last?.first ?? .zero else { return }
        kept.append(Kept(first: head.first, bytes: head.bytes))
        bytes += head.bytes
    }

    /// Notes that the ordering service has no more the entries before the one that begins at a position.
    mutating func removed(before first: Position) {
        let removed = kept.prefix { $0.first < first }
        bytes -= removed.reduce(0) { $0 + $1.bytes }
        kept.removeFirst(removed.count)
        guard first > self.first else { return }
        // Entries that this process did not see come may begin at any position.
        self.first = first < seenFrom ? first : kept.first?.first ?? first
    }
}

/// The order in which other nodes are asked for events that the ordering service no longer has: one after the other, by
/// their names.
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
