/// The tags of one event, stored as their JSON array on the wire: `["course:c1","student:s7"]`.
///
/// A tag has no `"` and no `\`, so its bytes need no escapes in JSON.
package enum EventTags {
    /// The maximum number of tags of an event.
    package static let maxCount = 16
    /// The length of one tag, in bytes.
    package static let length = 1...64

    /// Returns true for 1–64 bytes of printable ASCII except the space, `"` and `\`.
    package static func isTag(_ bytes: some Collection<UInt8>) -> Bool {
        length.contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
    }
}
