/// The ID of a user, story, message or photo: 1–64 bytes of the alphabet, compared byte by byte.
@usableFromInline
package struct Identifier: Name {
    /// The length of an ID, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the ID.
    @usableFromInline package let spelling: ByteView

    /// Creates an ID; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Identifier.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    /// Creates an ID from a text of the program itself; nil when it does not spell one.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Creates an ID from bytes that were checked when they were stored.
    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates an ID from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same ID in a copy of the bytes that it owns.
    package var kept: Identifier { Identifier(trusted: spelling.kept) }
}
