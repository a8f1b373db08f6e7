/// Up to 32 bytes, stored inline.
@usableFromInline
package struct ShortBytes: Hashable, Sendable {
    /// The maximum number of bytes.
    package static let capacity = 32

    /// The number of bytes.
    package let count: Int
    /// The bytes, padded with zeros.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Creates a copy of the bytes.
    ///
    /// - Parameter bytes: at most `capacity`.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= ShortBytes.capacity, "\(bytes.count) bytes exceed \(ShortBytes.capacity)")
        count = bytes.count
        Swift.withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
    }

    /// Calls `body` with the bytes, which are valid until it returns.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    @usableFromInline package static func == (left: ShortBytes, right: ShortBytes) -> Bool {
        left.count == right.count && left.words == right.words
    }

    @usableFromInline package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}
