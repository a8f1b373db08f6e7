package import StoryCore

/// The entries that one change of a row makes of the tables, gathered so that a store takes them in together.
///
/// Keys lie one after the other in its own memory, values with whoever gave them; both until it is cleared.
package struct EntryBatch: ~Copyable {
    /// Where a key lies in the batch's memory.
    struct Key: BitwiseCopyable {
        let start: Int
        let count: Int
    }

    /// What is done at a key.
    enum Action: BitwiseCopyable {
        case put(UnsafeRawBufferPointer)
        case remove
        /// Changes a kept count.
        case add(Int64)
    }

    struct Entry: BitwiseCopyable {
        let table: UInt8
        let action: Action
        let key: Key
        /// The key's hash as whoever takes the batch in has it; 0 until then.
        var hash: UInt64 = 0
    }

    private var keys = KeyBuffer(capacity: 4_096)
    private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: 32)
    private var capacity = 32
    private(set) var count = 0

    deinit { entries.deallocate() }

    mutating func clear() {
        keys.clear()
        count = 0
    }

    /// Writes a key; nil when `write` says that there is none, or no store takes it.
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
        entries[count] = Entry(table: table, action: action, key: key)
        count += 1
    }

    subscript(index: Int) -> Entry { entries[index] }

    /// The bytes of a key; they die with the next one.
    func bytes(_ key: Key) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: keys.address(at: key.start), count: key.count)
    }

    /// Remembers the hash of an entry's key.
    func setHash(_ hash: UInt64, at index: Int) { entries[index].hash = hash }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        grown.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = grown
        capacity *= 2
    }
}

extension EntryWriting {
    /// Takes in the entries one after the other.
    ///
    /// - Throws: what the store cannot do any more.
    package func write(_ batch: borrowing EntryBatch) throws(StorageError) {
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
