import StoryCore

/// The entries that the engine has, as far as this process saw them come, with their sizes.
struct Tail: Equatable {
    private struct Kept: Equatable {
        let first: Position
        let bytes: Int
    }

    /// The first position that this process saw come: how much the engine has before it is not known.
    let seenFrom: Position
    /// The size of the entries, in bytes.
    private(set) var bytes = 0
    private var kept: [Kept] = []
    /// The size without the last entry, which is never removed.
    var removableBytes: Int { bytes - (kept.last?.bytes ?? 0) }

    /// Begins behind the log's head when the process starts.
    init(after head: Position) { seenFrom = head.next }

    /// Notes an entry; one that was noted before is known.
    mutating func added(_ head: EntryHead) {
        guard head.first > kept.last?.first ?? .zero else { return }
        kept.append(Kept(first: head.first, bytes: head.bytes))
        bytes += head.bytes
    }

    /// Notes that the engine has no more the entries before the one that begins at a position.
    mutating func removed(before first: Position) {
        let removed = kept.prefix { $0.first < first }
        bytes -= removed.reduce(0) { $0 + $1.bytes }
        kept.removeFirst(removed.count)
    }
}
