/// The ID of a user, story, message or photo: 1–64 bytes of the alphabet, compared byte by byte.
@usableFromInline
package struct Identifier: Name {
    /// How long an ID may be, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    @usableFromInline package let spelling: ByteView

    /// Nil when the bytes do not spell an ID.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Identifier.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    /// The ID spelled by text from the program itself; nil when it does not spell one.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Bytes that were checked when they were stored.
    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Bytes that were checked by the caller.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same, for as long as the value lives.
    package var kept: Identifier { Identifier(trusted: spelling.kept) }
}
