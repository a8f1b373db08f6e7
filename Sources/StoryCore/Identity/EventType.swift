/// The name of a type of events: 1–64 bytes of the alphabet, such as `StoryPosted`.
@usableFromInline
package struct EventType: Name {
    /// The length of a type, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView

    /// Creates a type; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: EventType.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    /// Creates a type from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates a type from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same type in a copy of the bytes that it owns.
    package var kept: EventType { EventType(trusted: spelling.kept) }

    /// Returns a type of the program's own, whose spelling is valid.
    static func own(_ name: String) -> EventType { EventType(trusted: Array(name.utf8)) }
}
