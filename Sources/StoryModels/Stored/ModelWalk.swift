import StoryCore
import StoryStorage

/// A walk through a table as it is now: the newest of active, frozen and stored entries, removed keys left out.
struct ModelWalk: ~Copyable {
    private var active: BufferWalk?
    private var frozen: BufferWalk?
    private var stored: StoredWalk
    private let isDescending: Bool
    /// Which of the three stand on the entry that was answered last: they move on when the next one is asked for, since
    /// what they stand on dies with it.
    private var taken = (active: false, frozen: false, stored: false)

    init(
        active: BufferWalk?, frozen: BufferWalk?, stored: consuming StoredWalk, _ order: Order
    ) {
        self.active = active
        self.frozen = frozen
        self.stored = stored
        isDescending = order == .descending
    }

    /// The next entry, which dies with the one after it; nil at the end.
    mutating func next() throws(StorageError) -> LMDBEntry? {
        try advance()
        while let key = nearest() {
            if let value = take(key) { return LMDBEntry(key: key, value: value) }
            try advance()
        }
        return nil
    }

    /// The key that comes first of those that the three stand on.
    private func nearest() -> UnsafeRawBufferPointer? {
        nearer(nearer(active?.key, frozen?.key), stored.entry?.key)
    }

    private func nearer(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let left else { return right }
        guard let right else { return left }
        let comparison = Memory.compare(left, right)
        return (isDescending ? comparison >= 0 : comparison <= 0) ? left : right
    }

    /// Takes the key from those that stand on it; answers the newest value, nil when the newest says that it was removed.
    private mutating func take(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        taken.stored = stored.entry.map { Memory.areEqual($0.key, key) } ?? false
        taken.frozen = (frozen?.key).map { Memory.areEqual($0, key) } ?? false
        taken.active = (active?.key).map { Memory.areEqual($0, key) } ?? false
        if taken.active { return active?.value }
        return taken.frozen ? frozen?.value : stored.entry?.value
    }

    /// Moves those on from which the last key was taken.
    private mutating func advance() throws(StorageError) {
        if taken.stored { try stored.advance() }
        if taken.frozen { frozen?.advance() }
        if taken.active { active?.advance() }
    }
}
