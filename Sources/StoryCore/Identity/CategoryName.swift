/// The part of a stream's name before its first `-`: 1–64 bytes of the alphabet, no `-`.
@usableFromInline
package struct CategoryName: Name {
    /// The length of a category, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView

    /// Creates a category; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: CategoryName.length), !bytes.contains(0x2D) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    /// Creates a category from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates a category from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same category in a copy of the bytes that it owns.
    package var kept: CategoryName { CategoryName(trusted: spelling.kept) }
}
