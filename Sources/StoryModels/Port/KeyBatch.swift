import StoryCore

/// Keys of tables that are looked up together.
///
/// What a look-up reads lies where nobody looked lately. Several of them wait for memory at the same time.
package struct KeyBatch: ~Copyable {
    /// How many keys there is room for.
    package static let capacity = 16

    private struct Entry: BitwiseCopyable {
        let table: UInt8
        let start: Int
        let count: Int
        /// The key's hash as whoever looks it up has it; 0 until then.
        var hash: UInt32 = 0
    }

    private var keys = KeyBuffer(capacity: KeyBatch.capacity * 80)
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: KeyBatch.capacity)
    package private(set) var count = 0

    package init() {}

    deinit { entries.deallocate() }

    package var isEmpty: Bool { count == 0 }
    package var isFull: Bool { count == KeyBatch.capacity }

    package mutating func clear() {
        keys.clear()
        count = 0
    }

    /// Adds the key of a row; the batch must not be full.
    package mutating func addRow(_ id: UnsafeRawBufferPointer, in table: UInt8) {
        add(in: table) { _ = $0.addRowKey(id) }
    }

    /// Adds a key that is one number; the batch must not be full.
    package mutating func addNumber(_ number: UInt64, in table: UInt8) {
        add(in: table) { $0.add48(number) }
    }

    /// Adds a key as it is; the batch must not be full.
    mutating func add(_ key: UnsafeRawBufferPointer, in table: UInt8) {
        add(in: table) { $0.add(key) }
    }

    private mutating func add(in table: UInt8, _ write: (inout KeyBuffer) -> Void) {
        precondition(!isFull, "A batch has room for \(KeyBatch.capacity) keys.")
        let start = keys.count
        write(&keys)
        entries[count] = Entry(table: table, start: start, count: keys.count - start)
        count += 1
    }

    /// The hash that was remembered for a key.
    func hash(_ index: Int) -> UInt32 { entries[index].hash }

    /// Remembers the hash of a key.
    func setHash(_ hash: UInt32, at index: Int) { entries[index].hash = hash }

    /// The table that a key is of.
    package func table(_ index: Int) -> UInt8 { entries[index].table }

    /// The bytes of a key; they die with the next change.
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        keys.bytes.slice(entries[index].start, count: entries[index].count)
    }

    /// The ID of a row whose key was added; it dies as the key does.
    package func rowID(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: key(index).dropFirst())
    }
}
