import StoryCore
import StoryStorage

/// A merging cursor over a table: the newest of active, immutable and stored entries, without removed keys.
struct ModelWalk: ~Copyable {
    var active: MemtableWalk?
    var immutable: MemtableWalk?
    var stored: StoredWalk
    let isDescending: Bool
    /// The cursors at the entry that was returned last. They advance only when the next one is requested, since that
    /// invalidates the entry.
    var taken = (active: false, immutable: false, stored: false)

    /// Returns the next entry, valid until the next call; nil at the end.
    mutating func next() throws(StorageError) -> KeyValue? {
        try advance()
        while let key = nearest() {
            if let value = take(key) { return KeyValue(key: key, value: value) }
            try advance()
        }
        return nil
    }

    /// Returns the first of the keys at the three cursors.
    private func nearest() -> UnsafeRawBufferPointer? {
        nearer(nearer(active?.key, immutable?.key), stored.entry?.key)
    }

    private func nearer(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> UnsafeRawBufferPointer? {
        guard let left else { return right }
        guard let right else { return left }
        let comparison = left.compare(right)
        return (isDescending ? comparison >= 0 : comparison <= 0) ? left : right
    }

    /// Marks the cursors at a key as taken; returns the newest value, or nil for a tombstone.
    private mutating func take(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        taken.stored = stored.entry.map { $0.key.equals(key) } ?? false
        taken.immutable = (immutable?.key).map { $0.equals(key) } ?? false
        taken.active = (active?.key).map { $0.equals(key) } ?? false
        if taken.active { return active?.value }
        return taken.immutable ? immutable?.value : stored.entry?.value
    }

    /// Advances the cursors that the last key was taken from.
    private mutating func advance() throws(StorageError) {
        if taken.stored { try stored.advance() }
        if taken.immutable { immutable?.advance() }
        if taken.active { active?.advance() }
    }
}
