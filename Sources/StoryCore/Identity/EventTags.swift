/// The tags of one event, kept as the JSON array that they are on the wire: `["course:c1","student:s7"]`.
///
/// A tag has no `"` and no `\`, so that its bytes in JSON are its bytes.
package struct EventTags: Equatable, Sendable {
    /// How many tags an event may have.
    package static let maxCount = 16
    /// How long one tag may be, in bytes.
    package static let length = 1...64

    /// The array's text, without white space.
    package let json: [UInt8]

    /// Nil when there is no tag, too many of them, or one that is none.
    package init?(_ tags: [[UInt8]]) {
        guard 1...EventTags.maxCount ~= tags.count, tags.allSatisfy(EventTags.isTag) else { return nil }
        json = [0x5B] + tags.map { [0x22] + $0 + [0x22] }.joined(separator: [0x2C]) + [0x5D]
    }

    /// The text of an array that was checked when it was stored.
    package init(trusted json: [UInt8]) { self.json = json }

    /// True for so many bytes of printable ASCII but the space, `"` and `\`.
    package static func isTag(_ bytes: some Collection<UInt8>) -> Bool {
        length.contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    }
}
