package import StoryCore

/// A writer of entries into tables, which are named by number; the bytes are valid during the call.
package protocol TableWriting: AnyObject {
    /// Puts a value at a key, in place of any other.
    ///
    /// - Throws: any error of the store.
    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Removes a key, if it is there.
    ///
    /// - Throws: any error of the store.
    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Adds to a stored count of six bytes; a count of zero is removed, so that the table depends only on the counted
    /// rows.
    ///
    /// - Throws: any read error of the store.
    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) throws(StorageError)
    /// Writes all entries of a batch, in their order.
    ///
    /// - Throws: any error of the store.
    func write(_ batch: borrowing WriteBatch) throws(StorageError)
}

/// A visit of an entry of a walk, which ends where it returns false; the bytes are valid until then.
package typealias EntryVisit = (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool

/// A change of a value in place, which keeps its length.
package typealias ValueChange = (UnsafeMutableRawBufferPointer) -> Void

/// A store of the folded tables, each an ordered map from bytes to bytes.
///
/// Keys have 1 to 511 bytes. Closures get views of the store's memory: they must neither keep them nor change the
/// store.
package protocol TableStore: TableWriting {
    /// The position that the tables on disk are folded up to, zero where there are none; data on events up to it may
    /// come from disk.
    var checkpointed: Position { get }
    /// Appends bytes to a value, which is created if it is missing, and returns its size in bytes.
    ///
    /// - Throws: any read error of the store.
    @discardableResult
    func append(
        _ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int
    /// Calls `body` with the value at a key, to be changed in place.
    ///
    /// - Returns: false when the value is not in the memory that writes go to; then `body` was not called.
    func change(_ table: UInt8, at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool
    /// Hints that `key` will be looked up soon, so that a store may prefetch it.
    func prefetch(_ table: UInt8, at key: UnsafeRawBufferPointer)
    /// Calls `body` with the value at a key.
    ///
    /// - Returns: false when there is none.
    /// - Throws: any read error of the store.
    @discardableResult
    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
    /// Calls `body` with the value at a key, as `withValue` does, after the stored pages that lead to it, or past it, were
    /// compared with their checksums as they are now: for what a write rests on.
    ///
    /// - Throws: `.corrupt` where a page changed since it was written, which is noted as damage of the store; otherwise
    ///   any read error of the store.
    @discardableResult
    func withProvenValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool
    /// Notes damage of the stored tables that a reader found by comparing them with the log.
    func suspect(_ damage: StorageError)
    /// Calls `body` for each key in order, with its value, or nil where there is none.
    ///
    /// - Throws: any read error of the store, before the first call of `body`.
    func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError)
    /// Visits the entries of a range in order until `visit` returns false.
    ///
    /// - Parameter isProving: true to compare the stored pages with their checksums as they are now, for a write that rests
    ///   on the entries.
    /// - Throws: any read error of the store; where it is proving, as `withProvenValue`.
    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool, _ visit: EntryVisit
    ) throws(StorageError)
}

extension TableStore {
    /// Visits the entries of a range in order until `visit` returns false.
    ///
    /// - Throws: any read error of the store.
    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, _ visit: EntryVisit
    ) throws(StorageError) {
        try walk(table, range, order, isProving: false, visit)
    }

    /// Visits the entries of a range in order until `visit` returns false or throws.
    ///
    /// - Throws: any read error of the store, or that of `visit`.
    package func visit(
        _ table: UInt8, in range: KeyBounds, order: Order,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var failure: StorageError?
        try walk(table, range, order) { key, value in
            do throws(StorageError) { return try visit(key, value) } catch { failure = error }
            return false
        }
        if let failure { throw failure }
    }

    /// False by default: no value is changed in place.
    package func change(_ table: UInt8, at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool { false }

    /// Does nothing by default.
    package func prefetch(_ table: UInt8, at key: UnsafeRawBufferPointer) {}

    /// Looks the key up alone by default, as is right for tables in memory.
    package func withProvenValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        try withValue(table, at: key, body)
    }

    /// Does nothing by default.
    package func suspect(_ damage: StorageError) {}

    /// Calls `body` with the value at a key, proven or not.
    ///
    /// - Throws: as `withProvenValue`, or `withValue`.
    @inline(__always)
    @discardableResult
    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, isProven: Bool, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        try isProven ? withProvenValue(table, at: key, body) : withValue(table, at: key, body)
    }

    /// Looks the keys up one after the other by default.
    package func withValues(
        at keys: borrowing KeyBatch, _ body: (_ index: Int, _ value: UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count {
            let isThere = try withValue(keys.table(index), at: keys.key(index)) { body(index, $0) }
            if !isThere { body(index, nil) }
        }
    }
}

/// A half-open range of keys; its bytes are valid during the call that it is passed to.
package struct KeyBounds {
    /// The least key that may be in the range.
    package let lower: UnsafeRawBufferPointer
    /// The first key after the range; nil: without end.
    package let upper: UnsafeRawBufferPointer?

    /// Creates the range of the keys from `lower` on, before `upper`.
    package init(lower: UnsafeRawBufferPointer, upper: UnsafeRawBufferPointer?) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key.
    package static var all: KeyBounds { KeyBounds(lower: .none, upper: nil) }

    /// Calls `body` with bounds that are in arrays.
    package static func with<Result, Failure: Error>(
        _ lower: [UInt8], _ upper: [UInt8]?, _ body: (KeyBounds) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lower.withBytes { (lower) throws(Failure) in
            guard let upper else { return try body(KeyBounds(lower: lower, upper: nil)) }
            return try upper.withBytes { (upper) throws(Failure) in try body(KeyBounds(lower: lower, upper: upper)) }
        }
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

    /// Returns the greater of two keys.
    package func greatest(_ other: [UInt8]) -> [UInt8] { precedes(other) ? other : self }
}

extension [UInt8]? {
    /// Returns the lesser of two ends of keys; nil is behind all keys.
    package func least(_ other: [UInt8]?) -> [UInt8]? {
        guard let self, let other else { return self ?? other }
        return other.precedes(self) ? other : self
    }
}

extension TableStore {
    /// Copies the value at a key into a buffer, in place of its content.
    ///
    /// - Returns: false when there is none.
    /// - Throws: any read error of the store.
    func copy(_ table: UInt8, at key: UnsafeRawBufferPointer, to memory: inout KeyBuffer) throws(StorageError) -> Bool {
        memory.clear()
        return try withValue(table, at: key) { memory.add($0) }
    }

    /// Returns the six-byte number at a key; nil when there is none, or fewer bytes.
    ///
    /// - Throws: any read error of the store.
    package func number(
        _ table: UInt8, at key: UnsafeRawBufferPointer, isProven: Bool = false
    ) throws(StorageError) -> UInt64? {
        var number: UInt64?
        try withValue(table, at: key, isProven: isProven) { if $0.count >= 6 { number = $0.sixByteNumber(at: 0) } }
        return number
    }

    /// Returns the six-byte number at a key that is in an array, as `number` does.
    ///
    /// - Throws: any read error of the store.
    func number(_ table: UInt8, at key: [UInt8], isProven: Bool = false) throws(StorageError) -> UInt64? {
        try key.withBytes { (key) throws(StorageError) in try number(table, at: key, isProven: isProven) }
    }
}

/// The stored tables of models that this process serves, as of their last checkpoint, for another thread.
package protocol TableView: AnyObject, Sendable {
    /// The position that the tables are folded up to.
    var position: Position { get }
    /// Verifies everything that is stored, since the reads that follow do not.
    ///
    /// - Throws: `.corrupt` where something is damaged.
    func verify() throws(StorageError)
    /// Visits the entries of a table in key order until `visit` returns false; the bytes are valid until it returns.
    ///
    /// - Throws: `.corrupt` for a damaged table.
    func scan(
        _ table: ModelTable, _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError)
    /// Returns whether a table has a key.
    ///
    /// - Throws: as `scan`.
    func has(_ key: UnsafeRawBufferPointer, in table: ModelTable) throws(StorageError) -> Bool
    /// Releases the view.
    func close()
}

extension TableView {
    /// Visits the entries of a table as `scan` does, until `visit` returns false or throws.
    ///
    /// - Throws: `.corrupt` for a damaged table, or the error of `visit`.
    package func visit(
        _ table: ModelTable, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var failure: StorageError?
        try scan(table) { key, value in
            do throws(StorageError) { return try visit(key, value) } catch { failure = error }
            return false
        }
        if let failure { throw failure }
    }
}

/// The version of the stored models.
package enum ModelVersion {
    /// Incremented with every change of a fold, a table, a key or a row's record; stored models of another version are
    /// folded again from the start.
    package static let current: UInt32 = 10
    /// The same for the stored models that programs are folded into.
    package static let ofPrograms: UInt32 = 3
}
