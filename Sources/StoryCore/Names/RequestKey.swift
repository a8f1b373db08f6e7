/// The key that makes a write idempotent for ever: 1–128 bytes of the alphabet, chosen by the client.
@usableFromInline
package struct RequestKey: PlainName {
    /// The length of a key, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...128 }

    /// The bytes of the key.
    @usableFromInline package let spelling: ByteView

    /// Creates a key from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }
}
