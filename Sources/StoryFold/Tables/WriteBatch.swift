package import StoryCore

/// A batch of the table entries of one row change, which a store writes together.
///
/// Keys are copied into its memory; values are not, so the caller keeps them unchanged until the batch is cleared.
@usableFromInline
package struct WriteBatch: ~Copyable {
    /// The offset and length of a key in the batch's memory, in bytes.
    @usableFromInline
    package struct Key: BitwiseCopyable {
        @usableFromInline let start: Int
        @usableFromInline let count: Int
    }

    /// A write at a key.
    @usableFromInline
    package enum Action: BitwiseCopyable {
        /// Puts a value.
        case put(UnsafeRawBufferPointer)
        /// Removes the key, if it is there.
        case remove
        /// Adds to a stored count.
        case add(Int64)
    }

    /// A write at a key of a table.
    @usableFromInline
    package struct Write: BitwiseCopyable {
        /// The number of the table.
        package let table: UInt8
        /// The write.
        package let action: Action
        /// The key.
        package let key: Key
        /// The key's hash, computed by the store that writes the batch; 0 until then.
        @usableFromInline package internal(set) var hash: UInt64 = 0
    }

    @usableFromInline var keys = KeyBuffer(capacity: 4_096)
    @usableFromInline var writes = UnsafeMutablePointer<Write>.allocate(capacity: 32)
    private var capacity = 32
    /// The number of writes.
    @usableFromInline package private(set) var count = 0

    deinit { writes.deallocate() }

    mutating func clear() {
        keys.clear()
        count = 0
    }

    /// Writes a key; returns nil when `write` returns false, or the length is not that of a key.
    mutating func addKey(_ write: (inout KeyBuffer) -> Bool) -> Key? {
        let start = keys.count
        guard write(&keys), KeyBuffer.keyLength.contains(keys.count - start) else {
            keys.cut(to: start)
            return nil
        }
        return Key(start: start, count: keys.count - start)
    }

    mutating func add(_ action: Action, in table: UInt8, at key: Key) {
        if count == capacity { grow() }
        writes[count] = Write(table: table, action: action, key: key)
        count += 1
    }

    /// Returns a write.
    @inlinable package subscript(index: Int) -> Write { writes[index] }

    /// Returns the bytes of a key; valid until the next key is added.
    @inlinable
    package func bytes(_ key: Key) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: keys.address(at: key.start), count: key.count)
    }

    /// Stores the hash of an entry's key.
    @inlinable
    package func setHash(_ hash: UInt64, at index: Int) { writes[index].hash = hash }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<Write>.allocate(capacity: capacity * 2)
        grown.moveInitialize(from: writes, count: count)
        writes.deallocate()
        writes = grown
        capacity *= 2
    }
}

extension TableWriting {
    /// Puts a value at a key that is in an array, as `put` does.
    ///
    /// - Throws: any error of the store.
    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: [UInt8]) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in try put(value, in: table, at: key) }
    }

    /// Writes the entries one after the other by default.
    ///
    /// - Throws: any error of the store.
    package func write(_ batch: borrowing WriteBatch) throws(StorageError) {
        for index in 0..<batch.count {
            let entry = batch[index]
            let key = batch.bytes(entry.key)
            switch entry.action {
            case .put(let value): try put(value, in: entry.table, at: key)
            case .remove: try remove(in: entry.table, at: key)
            case .add(let change): try add(change, in: entry.table, at: key)
            }
        }
    }
}
