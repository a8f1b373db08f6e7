package import StoryCore
import StoryStorage

/// Read models in memory alone: for a replay, and for tests.
package final class MemoryModelStore: TableStore {
    private let buffers = BufferSet()
    /// What a value that is made longer is put together in.
    private var scratch = KeyBuffer()

    package init() {}

    /// Forgets everything.
    package func removeAll() { buffers.clear() }

    /// The bytes of memory that the entries take.
    package var bytes: Int { buffers.bytes }

    /// All entries of a table in the order of their keys.
    package func entries(of table: ModelTable) -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        walk(table.number, .all, .ascending) { key, value in
            entries.append((Array(key), Array(value)))
            return true
        }
        return entries
    }

    // MARK: TableStore

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        buffers.change(table) { $0.put(value, at: key) }
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { buffers.change(table) { $0.remove(key) } }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if buffers.change(table, { $0.add(change, at: key, hash: WriteBuffer.hash(key)) }) { return }
        let old = find(table, key)
        buffers.change(table) { $0.setCount(change, after: old, at: key, &scratch) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        buffers.change(table) { buffer in
            // What is not there to be made longer begins with the bytes.
            if !buffer.append(bytes, at: key) { buffer.put(bytes, at: key) }
        }
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let value = find(table, key) else { return false }
        body(value)
        return true
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        guard var walk = BufferWalk(buffers.filled(table), range, order) else { return }
        while let key = walk.key {
            if let value = walk.value, !visit(key, value) { return }
            walk.advance()
        }
    }

    /// The digest of what a table has.
    package func digest(of table: ModelTable) -> ModelDigest { buffers.digest(of: table.number) }

    private func find(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard case .value(let value) = buffers.find(table, key, hash: WriteBuffer.hash(key)) else { return nil }
        return value
    }
}
