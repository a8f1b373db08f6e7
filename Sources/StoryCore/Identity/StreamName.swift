/// The name of a stream, CATEGORY-ID: each 1–64 bytes of the alphabet, the category without `-`.
package struct StreamName: Hashable, Sendable, CustomStringConvertible {
    /// How long a whole name may be, in bytes.
    package static let length = 3...129

    package let bytes: [UInt8]
    /// How many bytes the category has; the dash follows it.
    package let categoryCount: Int

    /// Nil when the bytes are no CATEGORY-ID.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard StreamName.length.contains(bytes.count), let dash = bytes.firstIndex(of: 0x2D),
            CategoryName.length.contains(dash), Identifier.length.contains(bytes.count - dash - 1),
            bytes.allSatisfy(Alphabet.holds)
        else { return nil }
        self.bytes = bytes
        self.categoryCount = dash
    }

    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Bytes that were checked by the caller, and how many of them stand before the dash.
    package init(trusted bytes: [UInt8], categoryCount: Int) {
        self.bytes = bytes
        self.categoryCount = categoryCount
    }

    package init(category: CategoryName, id: Identifier) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(category.bytes.count + 1 + id.bytes.count)
        bytes.append(contentsOf: category.bytes)
        bytes.append(0x2D)
        bytes.append(contentsOf: id.bytes)
        self.bytes = bytes
        self.categoryCount = category.bytes.count
    }

    package var category: CategoryName { CategoryName(trusted: Array(bytes[..<categoryCount])) }
    package var id: Identifier { Identifier(trusted: Array(bytes[(categoryCount + 1)...])) }
    package var description: String { Alphabet.text(bytes) }

    package static func == (left: StreamName, right: StreamName) -> Bool { left.bytes == right.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
