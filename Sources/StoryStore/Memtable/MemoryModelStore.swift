package import StoryFold
package import StoryCore
import StoryStorage

/// A store of read models in memory alone, for replays and tests.
package final class MemoryModelStore: TableStore {
    private let buffers = MemtableSet()
    /// The buffer for the value of a new count.
    private var scratch = KeyBuffer()

    /// Creates an empty store.
    package init() {}

    /// Removes all entries.
    package func removeAll() { buffers.clear() }

    /// The memory of the entries, in bytes.
    package var bytes: Int { buffers.bytes }

    /// Returns all entries of a table in key order.
    package func entries(of table: ModelTable) -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        walk(table.number, .all, .ascending, isProving: false) { key, value in
            entries.append((Array(key), Array(value)))
            return true
        }
        return entries
    }

    // MARK: TableStore

    package var checkpointed: Position { .zero }

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        buffers.change(table) { $0.put(value, at: key) }
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { buffers.change(table) { $0.remove(key) } }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if buffers.change(table, { $0.add(change, at: key, hash: Memtable.hash(key)) }) { return }
        let old = find(table, key)
        buffers.change(table) { $0.setCount(change, after: old, at: key, &scratch) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        buffers.change(table) { buffer in
            // A missing value is created.
            if let size = buffer.append(bytes, at: key) { return size }
            buffer.put(bytes, at: key)
            return bytes.count
        }
    }

    package func change(_ table: UInt8, at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool {
        buffers.change(table) { $0.change(at: key, body) }
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        find(table, key).map(body) != nil
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        guard var walk = MemtableWalk(buffers.filled(table), range, order) else { return }
        while let key = walk.key {
            if let value = walk.value, !visit(key, value) { return }
            walk.advance()
        }
    }

    /// Returns the digest of a table.
    package func digest(of table: ModelTable) -> ModelDigest { buffers.digest(of: table.number) }

    private func find(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        buffers.find(table, key, hash: Memtable.hash(key)) ?? nil
    }
}
