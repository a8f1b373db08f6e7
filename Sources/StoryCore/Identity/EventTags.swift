/// The tags of one event, kept as the JSON array that they are on the wire: `["course:c1","student:s7"]`.
///
/// A tag has no `"` and no `\`, so that its bytes in JSON are its bytes.
package enum EventTags {
    /// How many tags an event may have.
    package static let maxCount = 16
    /// How long one tag may be, in bytes.
    package static let length = 1...64

    /// True for so many bytes of printable ASCII but the space, `"` and `\`.
    package static func isTag(_ bytes: some Collection<UInt8>) -> Bool {
        length.contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    }
}
