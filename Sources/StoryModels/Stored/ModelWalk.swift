import StoryCore
import StoryStorage

/// A walk through a table as it is now: the newest of active, frozen and stored entries, removed keys left out.
struct ModelWalk: ~Copyable {
    private var active: BufferWalk?
    private var frozen: BufferWalk?
    private var stored: StoredWalk
    private let isDescending: Bool

    init(
        active: BufferWalk?, frozen: BufferWalk?, stored: consuming StoredWalk, _ order: Order
    ) {
        self.active = active
        self.frozen = frozen
        self.stored = stored
        isDescending = order == .descending
    }

    /// The next entry; nil at the end.
    mutating func next() throws(StorageError) -> LMDBEntry? {
        while let key = nearest() {
            if let value = try take(key) { return LMDBEntry(key: key, value: value) }
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

    /// Moves all three past the key; answers the newest value, nil when the newest says that it was removed.
    private mutating func take(_ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        var value: UnsafeRawBufferPointer?
        if let entry = stored.entry, Memory.areEqual(entry.key, key) {
            value = entry.value
            try stored.advance()
        }
        if let found = frozen?.key, Memory.areEqual(found, key) {
            value = frozen?.value
            frozen?.advance()
        }
        if let found = active?.key, Memory.areEqual(found, key) {
            value = active?.value
            active?.advance()
        }
        return value
    }
}
