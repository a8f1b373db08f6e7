/// The part of a stream's name before its first `-`: 1–64 bytes of the alphabet, no `-`.
@usableFromInline
package struct CategoryName: PlainName {
    /// The length of a category, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView

    /// Creates a category from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// Creates a category; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: CategoryName.length), !bytes.contains(0x2D) else { return nil }
        self.init(trusted: Array(bytes))
    }
}
