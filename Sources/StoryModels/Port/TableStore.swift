package import StoryCore
import StoryStorage

/// What takes in entries of tables, by the tables' numbers. The bytes are lent for the call.
package protocol EntryWriting: AnyObject {
    /// Puts a value at a key, whatever was there.
    ///
    /// - Throws: what the store cannot do any more.
    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Removes a key, which need not be there.
    ///
    /// - Throws: what the store cannot do any more.
    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Changes a kept count, six bytes; one that comes to zero is not kept, so that counts are a function of what they
    /// count.
    ///
    /// - Throws: what reading the count before failed with.
    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Takes in all entries that one change makes, in their order.
    ///
    /// - Throws: what the store cannot do any more.
    func write(_ batch: borrowing EntryBatch) throws(StorageError)
}

/// The folded tables, each an ordered map from bytes to bytes.
///
/// Keys have 1 to 511 bytes. What is lent lies in the store: a closure must neither keep it nor change the store.
package protocol TableStore: EntryWriting {
    /// What the tables on the disk are a fold of: what is said of an event up to there may have been read from there.
    var checkpointed: Position { get }
    /// Makes a value longer by these bytes; one that is not there begins with them.
    ///
    /// - Throws: what reading the value before failed with.
    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// A key is looked up soon: a store may begin the search, and ask the processor for the memory where it goes on.
    func expect(_ table: UInt8, at key: UnsafeRawBufferPointer)
    /// Lends the value at a key.
    ///
    /// - Returns: false when there is none.
    /// - Throws: what reading failed with.
    @discardableResult
    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
    /// Lends what lies at several keys, in their order: the value, or nil where there is none.
    ///
    /// - Throws: what reading failed with, before anything was lent.
    func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)
    /// Visits the entries of a range in order until `visit` returns false.
    ///
    /// - Throws: what reading failed with.
    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)
}

extension TableStore {
    /// Tables in memory were read from nowhere.
    package var checkpointed: Position { .zero }

    /// Where nothing is gained by it, nothing is asked for.
    package func expect(_ table: UInt8, at key: UnsafeRawBufferPointer) {}

    /// Where nothing is gained by it, one key is looked up after the other.
    package func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count {
            let isThere = try withValue(keys.table(index), at: keys.key(index)) { body(index, $0) }
            if !isThere { body(index, nil) }
        }
    }
}

/// The keys from `lower` on, before `upper`; nil: without end. The bytes are lent for the call that takes it.
package struct KeyBounds {
    package let lower: UnsafeRawBufferPointer
    package let upper: UnsafeRawBufferPointer?

    package init(lower: UnsafeRawBufferPointer, upper: UnsafeRawBufferPointer?) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    package static var all: KeyBounds { KeyBounds(lower: .none, upper: nil) }

    /// Lends the bounds of keys that a caller has in arrays.
    package static func with<Result, Failure: Error>(
        _ lower: [UInt8], _ upper: [UInt8]?, _ body: (KeyBounds) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lower.withBytes { (lower) throws(Failure) in
            guard let upper else { return try body(KeyBounds(lower: lower, upper: nil)) }
            return try upper.withBytes { (upper) throws(Failure) in try body(KeyBounds(lower: lower, upper: upper)) }
        }
    }

    /// Lends the bounds of every key that begins with some bytes.
    package static func with<Result, Failure: Error>(
        prefix: [UInt8], _ body: (KeyBounds) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try with(prefix, prefix.prefixEnd, body)
    }
}

extension [UInt8] {
    /// The first key after all that begin with these bytes; nil where there is none.
    package var prefixEnd: [UInt8]? {
        var bytes = self
        while let last = bytes.popLast() {
            guard last < 0xFF else { continue }
            bytes.append(last + 1)
            return bytes
        }
        return nil
    }
}

extension TableStore {
    /// Copies the value at a key into memory of the caller's.
    ///
    /// - Returns: false when there is none.
    /// - Throws: what reading failed with.
    func copy(_ table: UInt8, at key: UnsafeRawBufferPointer, to memory: inout KeyBuffer) throws(StorageError) -> Bool {
        memory.clear()
        return try withValue(table, at: key) { memory.add($0) }
    }

    /// The six-byte number at a key; nil when there is none, or fewer bytes.
    ///
    /// - Throws: what reading failed with.
    package func number(_ table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) -> UInt64? {
        var number: UInt64?
        try withValue(table, at: key) { if $0.count >= 6 { number = $0.sixByteNumber(at: 0) } }
        return number
    }
}
