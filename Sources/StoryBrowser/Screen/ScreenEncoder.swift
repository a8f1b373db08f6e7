/// The reason why an application on a terminal ended.
package enum ScreenEnding: Hashable, Sendable { case quit, interrupted }

/// An encoder of screens as terminal output: only the lines that differ from those on the terminal.
package struct ScreenEncoder {
    /// The output before the first screen: alternate screen, hidden cursor, no line wrap, pasted text is marked.
    package static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\(KeyDecoder.marksPastes)\u{1B}[0m\u{1B}[2J"
    /// The output that restores the terminal.
    package static let leaving = "\u{1B}[0m\(KeyDecoder.endsMarks)\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let hasColours: Bool
    private var shown: [Line] = []

    /// Creates an encoder for an empty terminal.
    ///
    /// - Parameter hasColours: false to omit colours.
    package init(hasColours: Bool) { self.hasColours = hasColours }

    /// Returns the output that makes the terminal show a screen.
    package mutating func bytes(for screen: Screen) -> [UInt8] {
        var text = ""
        if shown.count != screen.lines.count || shown.first?.width != screen.lines.first?.width {
            text = "\u{1B}[0m\u{1B}[2J"
            shown = []
        }
        for (index, line) in screen.lines.enumerated() where !shown.indices.contains(index) || shown[index] != line {
            // Each line is positioned by itself, so that a terminal that measures a character differently spoils no
            // other line. It is cleared first: after the last column the cursor is on that column, which clearing would
            // erase.
            text += "\u{1B}[\(index + 1);1H\u{1B}[0m\u{1B}[K"
            for span in line.spans { text += ScreenEncoder.sequence(span.style, hasColours: hasColours) + span.text }
        }
        if !text.isEmpty { text += "\u{1B}[0m" }
        shown = screen.lines
        return Array(text.utf8)
    }

    /// Returns a line as output with its styles and colours, between other output.
    package static func text(of line: Line) -> String {
        line.spans.map { span in
            span.style == [] ? span.text : sequence(span.style, hasColours: true) + span.text + "\u{1B}[0m"
        }.joined()
    }

    private static func sequence(_ style: Style, hasColours: Bool) -> String {
        var codes = "0"
        if style.contains(.bold) { codes += ";1" }
        if style.contains(.dim) { codes += ";2" }
        if style.contains(.reverse) { codes += ";7" }
        if style.contains(.red), hasColours { codes += ";31" }
        if style.contains(.green), hasColours { codes += ";32" }
        if style.contains(.yellow), hasColours { codes += ";33" }
        return "\u{1B}[\(codes)m"
    }
}
