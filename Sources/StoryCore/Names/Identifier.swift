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
