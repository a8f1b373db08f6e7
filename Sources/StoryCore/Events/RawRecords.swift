/// Consecutive records as the log has them: whole, one behind the other.
package struct RawRecords: Equatable, Sendable {
    /// The position of the first one.
    package let first: Position
    /// The number of records.
    package private(set) var count: Int
    /// The bytes of all records.
    package private(set) var bytes: [UInt8]

    /// Creates records, by default none yet.
    package init(from first: Position, count: Int = 0, bytes: [UInt8] = []) {
        (self.first, self.count, self.bytes) = (first, count, bytes)
    }

    /// Adds the next record.
    package mutating func add(_ record: UnsafeRawBufferPointer) {
        count += 1
        bytes += record
    }
}
