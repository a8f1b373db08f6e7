/// Up to 32 bytes that lie in the value itself.
@usableFromInline
package struct ShortBytes: Hashable, Sendable {
    /// How many bytes there is room for.
    package static let capacity = 32

    package let count: Int
    /// The bytes, and zeros behind them.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// - Parameter bytes: at most `capacity`.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= ShortBytes.capacity, "What is short is no longer than the room for it.")
        count = bytes.count
        Swift.withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
    }

    /// Lends the bytes until `body` returns.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    @usableFromInline package static func == (left: ShortBytes, right: ShortBytes) -> Bool {
        left.count == right.count && left.words == right.words
    }

    @usableFromInline package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}
