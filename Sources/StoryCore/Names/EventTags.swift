/// A tag of events, by which they are found: 1–64 bytes of printable ASCII except the space, `"` and `\`.
package struct EventTag: Name {
    /// The bytes of the tag.
    package let spelling: ByteView

    /// Creates a tag; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.withUnsafeBytes(EventTags.isTag) else { return nil }
        spelling = ByteView(bytes)
    }

    /// Creates a tag from a copy of bytes that the caller has checked.
    package init(trusted bytes: UnsafeRawBufferPointer) { spelling = ByteView(copying: bytes) }
}

/// The tags of one event, stored as their JSON array on the wire: `["course:c1","student:s7"]`.
///
/// A tag has no `"` and no `\`, so its bytes need no escapes in JSON.
package enum EventTags {
    /// The maximum number of tags of an event, and of a query.
    package static let maxCount = 16
    /// The length of one tag, in bytes.
    package static let length = 1...64
    /// The sentence about a text that is no tag.
    package static let rule = "a tag is 1–64 bytes of printable ASCII, without spaces, \" and \\"

    /// Returns true for 1–64 bytes of printable ASCII except the space, `"` and `\`.
    package static func isTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
        length.contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    }

    /// Returns the rule that bytes break which are no tag.
    package static func ruleBroken(by bytes: UnsafeRawBufferPointer) -> FieldRule {
        bytes.count == 0 ? .empty : bytes.count > length.upperBound ? .tooLong : .malformed
    }
}
