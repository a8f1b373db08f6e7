import CXXHash
import StoryCore
import StoryStorage

/// A digest that two models share only when they hold the same entries, in whatever order they were added.
///
/// It is the sum of a 128-bit hash of each entry: its table, its key and its value.
package struct ModelDigest: Equatable, Sendable {
    /// The number of entries.
    package private(set) var count: UInt64 = 0
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Creates the digest of no entries.
    package init() {}

    /// Adds an entry of a table, by the table's number.
    @inline(__always)
    package mutating func add(_ table: UInt8, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let hash = ModelDigest.hash(table, key, value)
        // The sums wrap on purpose; a sum does not depend on the order of its terms.
        low &+= hash.low
        high &+= hash.high
        count &+= 1
    }

    /// Subtracts an entry whose value is empty.
    package mutating func subtract(_ table: UInt8, _ key: UnsafeRawBufferPointer) {
        let hash = ModelDigest.hash(table, key, .none)
        low &-= hash.low
        high &-= hash.high
        count &-= 1
    }

    /// Returns the XXH3-128 of the key, seeded with its table and length; where there is a value, with the XXH3-64 of
    /// the value, which is seeded with those.
    @inline(__always)
    private static func hash(
        _ table: UInt8, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> xxhi_hash128 {
        let seed = UInt64(table) << 32 | UInt64(key.count)
        let ofValue = value.count > 0 ? xxhi_64(value.baseAddress, value.count, seed) : seed
        return xxhi_128(key.baseAddress, key.count, ofValue)
    }

    /// Returns 64 bits that identify a key of a table.
    static func mark(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> UInt64 {
        hash(table, key, .none).low
    }

    /// Adds the entries of another digest.
    package mutating func add(_ other: ModelDigest) {
        low &+= other.low
        high &+= other.high
        count += other.count
    }

    /// The digest as 32 hexadecimal digits.
    package var text: String { ModelDigest.digits(high) + ModelDigest.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
