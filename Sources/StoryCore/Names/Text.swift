/// A text that a person wrote: well-formed UTF-8, compared byte by byte.
///
/// Swift's `String` treats "é" and "e\u{301}" as equal; a store that did so would lose a revision between the two.
package struct Text: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the text; valid until the request is handled where they are from a line.
    package let spelling: ByteView

    /// Creates a text of well-formed UTF-8, which the caller has checked (as the JSON scanner does).
    package init(_ bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// Creates a text of a view of well-formed UTF-8, which the caller has checked.
    package init(_ spelling: ByteView) { self.spelling = spelling }

    /// Creates a text of a string.
    package init(_ text: String) { self.init(Array(text.utf8)) }

    /// True when the text has no bytes.
    package var isEmpty: Bool { spelling.count == 0 }
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    package var description: String { spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Returns true when there are more characters (grapheme clusters) than `limit`.
    package func exceeds(_ limit: Int) -> Bool {
        // A character has at least one byte, so short texts need no counting.
        guard spelling.count > limit else { return false }
        let text = description
        return text.index(text.startIndex, offsetBy: limit + 1, limitedBy: text.endIndex) != nil
    }
}
