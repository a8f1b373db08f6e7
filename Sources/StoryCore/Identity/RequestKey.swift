/// The key that makes a write happen once for ever: 1–128 bytes of the alphabet, chosen by the client.
@usableFromInline
package struct RequestKey: Name {
    @inlinable package static var length: ClosedRange<Int> { 1...128 }

    @usableFromInline package let spelling: ByteView

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: RequestKey.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Bytes that were checked by the caller.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same, for as long as the value lives.
    package var kept: RequestKey { RequestKey(trusted: spelling.kept) }
}
