import StoryCore

/// The entries that the engine has, as far as this node has seen them come and go.
struct Tail: Equatable {
    private struct Seen: Equatable {
        let first: Position
        let bytes: Int
    }

    /// The first position that the engine has an event of, or the next one where it has none.
    private(set) var first = Position.zero.next
    /// The size of the entries that were seen and are not removed, in bytes.
    private(set) var bytes = 0
    /// The entries that were seen, in the order of the log; those before `start` are removed.
    private var entries: [Seen] = []
    private var start = 0

    var size: TailSize { TailSize(first: first, bytes: bytes) }

    /// Notes the first position that the engine has when this node joins.
    mutating func joined(_ first: Position) { self.first = max(self.first, first) }

    /// Notes an entry, unless it was seen before.
    mutating func added(_ first: Position, bytes: Int) {
        guard entries.last.map({ $0.first < first }) ?? true else { return }
        entries.append(Seen(first: first, bytes: bytes))
        self.bytes += bytes
    }

    /// Notes that all entries that begin before a position are removed.
    mutating func removed(before end: Position) {
        while start < entries.count, entries[start].first < end {
            bytes -= entries[start].bytes
            start += 1
        }
        first = max(first, start < entries.count ? entries[start].first : end)
        guard start > entries.count / 2 else { return }
        entries.removeFirst(start)
        start = 0
    }
}
