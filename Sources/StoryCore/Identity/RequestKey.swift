/// The key that makes a write idempotent for ever: 1–128 bytes of the alphabet, chosen by the client.
@usableFromInline
package struct RequestKey: Name {
    /// The length of a key, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...128 }

    /// The bytes of the key.
    @usableFromInline package let spelling: ByteView

    /// Creates a key; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: RequestKey.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    /// Creates a key from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates a key from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same key in a copy of the bytes that it owns.
    package var kept: RequestKey { RequestKey(trusted: spelling.kept) }
}
