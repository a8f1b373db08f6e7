/// The part of a stream's name before its first `-`: 1–64 bytes of the alphabet, no `-`.
@usableFromInline
package struct CategoryName: Name {
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    @usableFromInline package let spelling: ByteView

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: CategoryName.length), !bytes.contains(0x2D) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Bytes that were checked by the caller.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same, for as long as the value lives.
    package var kept: CategoryName { CategoryName(trusted: spelling.kept) }
}
