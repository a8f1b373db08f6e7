/// The name of a stream, CATEGORY-ID: each 1–64 bytes of the alphabet, the category without `-`.
@usableFromInline
package struct StreamName: Name {
    /// How long a whole name may be, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 3...129 }

    @usableFromInline package let spelling: ByteView
    /// How many bytes the category has; the dash follows it.
    @usableFromInline package let categoryCount: Int

    /// Nil when the bytes are no CATEGORY-ID.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard StreamName.length.contains(bytes.count), let dash = bytes.firstIndex(of: 0x2D),
            CategoryName.length.contains(dash), Identifier.length.contains(bytes.count - dash - 1),
            bytes.allSatisfy(Alphabet.holds)
        else { return nil }
        self.init(trusted: bytes, categoryCount: dash)
    }

    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Bytes that were checked by the caller, and how many of them stand before the dash.
    package init(trusted bytes: [UInt8], categoryCount: Int) {
        self.init(trusted: ByteView(bytes), categoryCount: categoryCount)
    }

    /// Bytes that were checked by the caller, and how many of them stand before the dash.
    @inlinable
    package init(trusted spelling: ByteView, categoryCount: Int) {
        self.spelling = spelling
        self.categoryCount = categoryCount
    }

    package init(category: CategoryName, id: Identifier) {
        var bytes = category.bytes
        bytes.append(0x2D)
        bytes.append(contentsOf: id.bytes)
        self.init(trusted: bytes, categoryCount: category.spelling.count)
    }

    /// Lent as the name is.
    package var category: CategoryName { CategoryName(trusted: spelling.part(0..<categoryCount)) }
    /// Lent as the name is.
    package var id: Identifier { Identifier(trusted: spelling.part(categoryCount + 1..<spelling.count)) }
    /// The same, for as long as the value lives.
    package var kept: StreamName { StreamName(trusted: spelling.kept, categoryCount: categoryCount) }

    @usableFromInline
    package static func == (left: StreamName, right: StreamName) -> Bool { left.spelling == right.spelling }
    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(spelling) }
}
