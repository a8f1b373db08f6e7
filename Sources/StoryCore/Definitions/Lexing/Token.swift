/// A position in the text of a definition, counted from 1.
package struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line.
    package let line: Int
    /// The Unicode scalar of the line.
    package let column: Int

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The smallest part of a definition's text.
struct Token: Sendable {
    /// The kind of a token.
    enum Kind: Hashable, Sendable {
        case name, number, text
        case mark(Mark)
        /// The end of a statement or a declaration: a line's end.
        case lineEnd
        /// The same, written `;`.
        case semicolon
        case endOfText
    }

    let kind: Kind
    /// The characters of a name or a number, or of a text without quotes and escapes; empty for others.
    let spelling: String
    let position: SourcePosition
    /// The index of the first scalar.
    let start: Int

    /// True for both ends of a statement.
    var isEnd: Bool { kind == .lineEnd || kind == .semicolon }

    /// Returns true for a name.
    func isName(_ name: String) -> Bool { kind == .name && spelling == name }
}
