import StoryCore

/// A batch of keys of tables that are looked up together.
///
/// A look-up mostly waits for memory that is in no cache; in a batch several look-ups wait at the same time.
@usableFromInline
package struct KeyBatch: ~Copyable {
    /// The most keys in a batch.
    package static let capacity = 16

    /// A key of the batch.
    @usableFromInline
    struct Span: BitwiseCopyable {
        @usableFromInline let table: UInt8
        @usableFromInline let start: Int
        @usableFromInline let count: Int
        /// The key's hash, computed by the store that looks it up; 0 until then.
        @usableFromInline var hash: UInt32 = 0
    }

    @usableFromInline var keys = KeyBuffer(capacity: KeyBatch.capacity * 80)
    @usableFromInline let spans = UnsafeMutablePointer<Span>.allocate(capacity: KeyBatch.capacity)
    /// The number of keys.
    @usableFromInline package private(set) var count = 0

    /// Creates an empty batch.
    package init() {}

    deinit { spans.deallocate() }

    /// True when the batch has no room for another key.
    package var isFull: Bool { count == KeyBatch.capacity }

    /// Removes all keys.
    package mutating func clear() {
        keys.clear()
        count = 0
    }

    /// Adds the key of a row; the batch must not be full.
    package mutating func addRow(_ key: UnsafeRawBufferPointer, in table: UInt8) {
        add(in: table) { _ = $0.addRowKey(key) }
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
        precondition(!isFull, "more than \(KeyBatch.capacity) keys in a batch")
        let start = keys.count
        write(&keys)
        spans[count] = Span(table: table, start: start, count: keys.count - start)
        count += 1
    }

    /// Returns the stored hash of a key.
    @inlinable package func hash(_ index: Int) -> UInt32 { spans[index].hash }

    /// Stores the hash of a key.
    @inlinable package func setHash(_ hash: UInt32, at index: Int) { spans[index].hash = hash }

    /// Returns the table of a key.
    @inlinable package func table(_ index: Int) -> UInt8 { spans[index].table }

    /// Returns the bytes of a key; valid until the next change.
    @inlinable
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: keys.address(at: spans[index].start), count: spans[index].count)
    }

    /// Returns the row's own key of a key that was added with `addRow`; valid until the next change.
    package func rowKey(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: key(index).dropFirst(KeyBuffer.rowKeyHead))
    }
}
