package import StoryCore

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
}

/// The folded tables, each an ordered map from bytes to bytes.
///
/// Keys have 1 to 511 bytes. What is lent lies in the store: a closure must neither keep it nor change the store.
package protocol TableStore: EntryWriting {
    /// Makes a value longer by these bytes; one that is not there begins with them.
    ///
    /// - Throws: what reading the value before failed with.
    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Lends the value at a key.
    ///
    /// - Returns: false when there is none.
    /// - Throws: what reading failed with.
    @discardableResult
    func lend(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
    /// Visits the entries of a range in order until `visit` returns false.
    ///
    /// - Throws: what reading failed with.
    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)
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

    /// Lends the bounds of every key that begins with some bytes.
    package static func with<Result, Failure: Error>(
        prefix: UnsafeRawBufferPointer, _ body: (KeyBounds) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var count = prefix.count
        while count > 0, prefix[count - 1] == 0xFF { count -= 1 }
        guard count > 0 else { return try body(KeyBounds(lower: prefix, upper: nil)) }
        var end = KeyBuffer(capacity: count)
        end.add(prefix.slice(0, count: count))
        end.incrementLast()
        return try body(KeyBounds(lower: prefix, upper: end.bytes))
    }
}

extension TableStore {
    /// Copies the value at a key into memory of the caller's.
    ///
    /// - Returns: false when there is none.
    /// - Throws: what reading failed with.
    func copy(_ table: UInt8, at key: UnsafeRawBufferPointer, to memory: inout KeyBuffer) throws(StorageError) -> Bool {
        memory.clear()
        return try lend(table, at: key) { memory.add($0) }
    }

    /// The six-byte number at a key; nil when there is none, or fewer bytes.
    ///
    /// - Throws: what reading failed with.
    package func number(_ table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError) -> UInt64? {
        var number: UInt64?
        try lend(table, at: key) { if $0.count >= 6 { number = $0.sixByteNumber(at: 0) } }
        return number
    }
}
