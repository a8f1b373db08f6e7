/// The name of a type of events: 1–64 bytes of the alphabet, such as `StoryPosted`.
@usableFromInline
package struct EventType: PlainName {
    /// The length of a type, in bytes.
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    /// The bytes of the name.
    @usableFromInline package let spelling: ByteView

    /// Creates a type from a view that the caller has checked.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// Returns a type of the program's own, whose spelling is valid.
    static func own(_ name: String) -> EventType { EventType(trusted: Array(name.utf8)) }
}
