/// What a person wrote: well-formed UTF-8, compared byte by byte.
///
/// Swift's `String` holds "é" and "e\u{301}" for equal; a store that did would lose a revision between the two.
package struct Text: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// The caller knows that the bytes are well-formed UTF-8 (the JSON scanner checks it).
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    package var isEmpty: Bool { bytes.isEmpty }
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// True when there are more characters (grapheme clusters) than `limit`.
    package func exceeds(_ limit: Int) -> Bool {
        // A character has at least one byte, so short texts need no counting.
        bytes.count > limit && description.count > limit
    }
}
