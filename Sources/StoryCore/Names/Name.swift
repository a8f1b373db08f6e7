/// The bytes that IDs, stream names, event types, keys and tags are made of: `A–Z a–z 0–9 . _ ~ -`.
package enum Alphabet {
    /// Returns true when a byte is in the alphabet.
    package static func holds(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Returns true when the number of bytes is in the range and every byte is in the alphabet.
    package static func spells(_ bytes: some Collection<UInt8>, within range: ClosedRange<Int>) -> Bool {
        range.contains(bytes.count) && bytes.allSatisfy(holds)
    }

    /// Returns the bytes as text; they are ASCII, so none is replaced.
    package static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A name of the alphabet of IDs: an ID, a stream's name, an event's type, a key.
///
/// A name in a request line is valid until the request is handled; code that keeps it longer uses `kept`.
@usableFromInline
package protocol Name: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the name.
    var spelling: ByteView { get }
}

extension Name {
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// A name of one part, of which a view of its bytes is all.
@usableFromInline
package protocol PlainName: Name {
    /// The length of a name, in bytes.
    static var length: ClosedRange<Int> { get }
    /// Creates a name from a view that the caller has checked.
    init(trusted spelling: ByteView)
}

extension PlainName {
    /// Creates a name; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Self.length) else { return nil }
        self.init(trusted: Array(bytes))
    }

    /// Creates a name from bytes that the caller has checked.
    @inlinable package init(trusted bytes: [UInt8]) { self.init(trusted: ByteView(bytes)) }

    /// The same name in a copy of the bytes that it owns.
    @inlinable package var kept: Self { Self(trusted: spelling.kept) }
}

/// The ID of a user, story, message or photo: 1–64 bytes of the alphabet, compared byte by byte.
@usableFromInline
package struct Identifier: PlainName {
    /// The length of an ID, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the ID.
    @usableFromInline package let spelling: ByteView

    /// Creates an ID from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// Creates an ID from a text of the program itself; nil when it does not spell one.
    package init?(_ text: String) { self.init(Array(text.utf8)) }
}

extension Identifier {
    /// Returns the ID that the store gives to content created at a position: short, and sorted by position.
    ///
    /// It is the position in base 36 after a letter that says how many digits follow. A client may have chosen the same
    /// ID, so `~` is appended until `isTaken` returns false or the ID has 64 bytes.
    package static func given(at position: Position, isTaken: (Identifier) -> Bool) -> Identifier {
        var digits: [UInt8] = []
        var rest = position.value
        repeat {
            let digit = UInt8(rest % 36)
            digits.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            rest /= 36
        } while rest > 0
        var bytes = [UInt8(0x60 + digits.count)] + digits.reversed()
        while isTaken(Identifier(trusted: bytes)), bytes.count < Identifier.length.upperBound { bytes.append(0x7E) }
        return Identifier(trusted: bytes)
    }
}

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

    /// Returns whether a category that belongs to no kind is reserved for the store.
    package static func isReserved(_ category: UnsafeRawBufferPointer) -> Bool {
        category.equals("model") || category.equals("cursor") || category.equals("erasure") || category.equals("system")
    }
}

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

/// The name of a type of events: 1–64 bytes of the alphabet, such as `StoryPosted`.
@usableFromInline
package struct EventType: PlainName {
    /// The length of a type, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }
    /// The sentence about a text that is no type.
    package static let rule = "a type is 1–64 bytes of A–Z a–z 0–9 . _ ~ -"

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView

    /// Creates a type from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// Returns a type of the program's own, whose spelling is valid.
    static func own(_ name: String) -> EventType { EventType(trusted: Array(name.utf8)) }
}

/// The key that makes a write idempotent for ever: 1–128 bytes of the alphabet, chosen by the client.
@usableFromInline
package struct RequestKey: PlainName {
    /// The length of a key, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...128 }

    /// The bytes of the key.
    @usableFromInline package let spelling: ByteView

    /// Creates a key from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }
}
