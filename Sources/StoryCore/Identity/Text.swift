/// What a person wrote: well-formed UTF-8, compared byte by byte.
///
/// Swift's `String` holds "é" and "e\u{301}" for equal; a store that did would lose a revision between the two.
package struct Text: Hashable, Sendable, CustomStringConvertible {
    /// Lent where the text was read out of a line.
    package let spelling: ByteView

    /// The caller knows that the bytes are well-formed UTF-8 (the JSON scanner checks it).
    package init(_ bytes: [UInt8]) { spelling = ByteView(bytes) }

    /// The same of a view.
    package init(_ spelling: ByteView) { self.spelling = spelling }

    package init(_ text: String) { self.init(Array(text.utf8)) }

    package var isEmpty: Bool { spelling.count == 0 }
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    package var description: String { spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// True when there are more characters (grapheme clusters) than `limit`.
    package func exceeds(_ limit: Int) -> Bool {
        // A character has at least one byte, so short texts need no counting.
        guard spelling.count > limit else { return false }
        let text = description
        return text.index(text.startIndex, offsetBy: limit + 1, limitedBy: text.endIndex) != nil
    }
}
