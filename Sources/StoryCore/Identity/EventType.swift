/// What happened, as a name: 1–64 bytes of the alphabet, such as `StoryPosted`.
@usableFromInline
package struct EventType: Name {
    @inlinable package static var length: ClosedRange<Int> { 1...64 }

    @usableFromInline package let spelling: ByteView

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: EventType.length) else { return nil }
        spelling = ByteView(Array(bytes))
    }

    package init(trusted bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Bytes that were checked by the caller.
    @inlinable
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The same, for as long as the value lives.
    package var kept: EventType { EventType(trusted: spelling.kept) }

    /// A type of the program's own, which keeps to the rule.
    static func own(_ name: String) -> EventType { EventType(trusted: Array(name.utf8)) }
}
