import StoryCore

/// Where a fold writes what it makes, and in what memory.
protocol FoldTarget {
    associatedtype Bytes: ByteWriting

    func put(_ value: Bytes, in table: Table, at key: Bytes)
    /// Puts an entry whose value is empty.
    func put(in table: Table, at key: Bytes)
    func remove(in table: Table, at key: Bytes)
    func add(_ change: Int64, in table: Table, at key: Bytes)
}

/// The tables themselves.
struct StoreTarget: FoldTarget {
    let store: any ModelStore

    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        store.put(value, in: table, at: key)
    }

    func put(in table: Table, at key: [UInt8]) { store.put([], in: table, at: key) }
    func remove(in table: Table, at key: [UInt8]) { store.remove(in: table, at: key) }
    func add(_ change: Int64, in table: Table, at key: [UInt8]) { store.add(change, in: table, at: key) }
}

/// Somebody who looks at entries as they are made.
struct SinkTarget: FoldTarget {
    let sink: any EntrySink

    func put(_ value: ScratchBytes, in table: Table, at key: ScratchBytes) {
        sink.put(value.bytes, in: table.rawValue, at: key.bytes)
    }

    func put(in table: Table, at key: ScratchBytes) {
        sink.put(UnsafeRawBufferPointer(start: nil, count: 0), in: table.rawValue, at: key.bytes)
    }

    func remove(in table: Table, at key: ScratchBytes) { sink.remove(in: table.rawValue, at: key.bytes) }

    func add(_ change: Int64, in table: Table, at key: ScratchBytes) {
        sink.add(change, in: table.rawValue, at: key.bytes)
    }
}

/// What takes in entries, by the numbers of their tables, without being asked for them again. The bytes are lent for
/// the call.
package protocol EntrySink: AnyObject {
    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer)
    func remove(in table: UInt8, at key: UnsafeRawBufferPointer)
    /// Changes a kept count, as `ModelStore` does.
    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer)
}
