/// The name of a stream, CATEGORY-ID: each 1–64 bytes of the alphabet, the category without `-`.
@usableFromInline
package struct StreamName: Name {
    /// The length of a whole name, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 3...129 }

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView
    /// The length of the category, in bytes; the dash follows it.
    @usableFromInline package let categoryCount: Int

    /// Creates a name; nil when the bytes are no CATEGORY-ID.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard StreamName.length.contains(bytes.count), let dash = bytes.firstIndex(of: 0x2D),
            CategoryName.length.contains(dash), Identifier.length.contains(bytes.count - dash - 1),
            bytes.allSatisfy(Alphabet.holds)
        else { return nil }
        self.init(trusted: bytes, categoryCount: dash)
    }

    /// Creates a name from a text of the program itself; nil when it is no CATEGORY-ID.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Creates a name from bytes that the caller has checked, and the number of bytes before the dash.
    package init(trusted bytes: [UInt8], categoryCount: Int) {
        self.init(trusted: ByteView(bytes), categoryCount: categoryCount)
    }

    /// Creates a name from a view that the caller has checked, and the number of bytes before the dash.
    @inlinable
    package init(trusted spelling: ByteView, categoryCount: Int) {
        self.spelling = spelling
        self.categoryCount = categoryCount
    }

    /// Creates the name of an ID in a category.
    package init(category: CategoryName, id: Identifier) {
        var bytes = category.bytes
        bytes.append(0x2D)
        bytes.append(contentsOf: id.bytes)
        self.init(trusted: bytes, categoryCount: category.spelling.count)
    }

    /// The category, valid as long as the name.
    package var category: CategoryName { CategoryName(trusted: spelling.part(0..<categoryCount)) }
    /// The ID, valid as long as the name.
    package var id: Identifier { Identifier(trusted: spelling.part(categoryCount + 1..<spelling.count)) }
    /// The same name in a copy of the bytes that it owns.
    package var kept: StreamName { StreamName(trusted: spelling.kept, categoryCount: categoryCount) }

    @usableFromInline
    package static func == (left: StreamName, right: StreamName) -> Bool { left.spelling == right.spelling }
    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(spelling) }
}
