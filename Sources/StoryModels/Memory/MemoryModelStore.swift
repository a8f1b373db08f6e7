package import StoryCore
import StoryStorage

/// Read models in memory alone: for a replay, and for tests.
package final class MemoryModelStore: ModelStore {
    private let buffers = BufferSet()
    /// What a value that is made longer is put together in.
    private var scratch = KeyBuffer()

    package init() {}

    /// Forgets everything.
    package func removeAll() { buffers.clear() }

    package func value(in table: Table, at key: [UInt8]) -> [UInt8]? {
        key.withBytes { key in find(table, key).map { Array($0) } }
    }

    package func lend(
        _ table: Table, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let value = find(table, key) else { return false }
        body(value)
        return true
    }

    package func put(_ value: [UInt8], in table: Table, at key: [UInt8]) { buffers.put(value, in: table, at: key) }

    package func remove(in table: Table, at key: [UInt8]) { buffers.remove(in: table, at: key) }

    package func add(_ change: Int64, in table: Table, at key: [UInt8]) {
        // Most counts were changed a moment ago: then nothing has to be looked up further down.
        if !buffers.add(change, in: table, at: key) { addPlainly(change, in: table, at: key) }
    }

    package func append(_ bytes: [UInt8], in table: Table, at key: [UInt8]) {
        if !buffers.append(bytes, in: table, at: key) { appendPlainly(bytes, in: table, at: key) }
    }

    package func scan(
        _ table: Table, _ range: KeyRange, _ order: Order, _ visit: (_ key: [UInt8], _ value: [UInt8]) -> Bool
    ) {
        walk(table, range, order) { visit(Array($0), Array($1)) }
    }

    /// All entries of a table in the order of their keys.
    package func entries(of table: Table) -> [(key: [UInt8], value: [UInt8])] {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        walk(table, KeyRange(), .ascending) { key, value in
            entries.append((Array(key), Array(value)))
            return true
        }
        return entries
    }

    package func digest(of model: Model) -> ModelDigest {
        model.tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }

    package func digest(of table: Table) -> ModelDigest { buffers.digest(of: table.rawValue) }

    /// The bytes of memory that the entries take.
    package var bytes: Int { buffers.bytes }

    private func find(_ table: Table, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard case .value(let value) = buffers.filled(table.rawValue)?.find(key, hash: WriteBuffer.hash(key)) else {
            return nil
        }
        return value
    }

    package func walk(
        _ table: Table, _ range: KeyRange, _ order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        WalkRange.with(range) { bounds in
            guard var walk = BufferWalk(buffers.filled(table.rawValue), bounds, order) else { return }
            while let key = walk.key {
                if let value = walk.value, !visit(key, value) { return }
                walk.advance()
            }
        }
    }
}

extension MemoryModelStore: TableStore {
    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        buffers.buffer(table).put(value, at: key)
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { buffers.buffer(table).remove(key) }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        let buffer = buffers.buffer(table)
        if !buffer.add(change, at: key) { buffer.setCount(change, after: find(table, key), at: key, &scratch) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        let buffer = buffers.buffer(table)
        // What is not there to be made longer begins with the bytes.
        if !buffer.append(bytes, at: key) { buffer.put(bytes, at: key) }
    }

    package func lend(
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
        let bounds = WalkRange(lower: range.lower, upper: range.upper)
        guard var walk = BufferWalk(buffers.filled(table), bounds, order) else { return }
        while let key = walk.key {
            if let value = walk.value, !visit(key, value) { return }
            walk.advance()
        }
    }

    /// The digest of what a table has.
    package func digest(of table: ModelTable) -> ModelDigest { buffers.digest(of: table.number) }

    private func find(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard case .value(let value) = buffers.filled(table)?.find(key, hash: WriteBuffer.hash(key)) else { return nil }
        return value
    }
}
