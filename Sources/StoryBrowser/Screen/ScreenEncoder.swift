/// Screens as what a terminal has to be sent: only the lines that differ from what it shows already.
package struct ScreenEncoder {
    /// What a terminal is sent before the first screen: a second page, without a cursor, on which lines do not wrap.
    package static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m\u{1B}[2J"
    /// What gives it back as it was.
    package static let leaving = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let hasColours: Bool
    private var shown: [Line] = []

    /// - Parameter hasColours: false where nobody wants to see any.
    package init(hasColours: Bool) { self.hasColours = hasColours }

    /// What makes the terminal show a screen.
    package mutating func bytes(for screen: Screen) -> [UInt8] {
        var text = ""
        if shown.count != screen.lines.count || shown.first?.width != screen.lines.first?.width {
            text = "\u{1B}[0m\u{1B}[2J"
            shown = []
        }
        for (index, line) in screen.lines.enumerated() where !shown.indices.contains(index) || shown[index] != line {
            // Each line begins at its own place, so that a terminal that takes a character for wider or narrower than
            // this program does spoils no other line.
            // It is emptied first: behind its last column the cursor stands on that, which would be emptied too.
            text += "\u{1B}[\(index + 1);1H\u{1B}[0m\u{1B}[K"
            for span in line.spans { text += sequence(span.style) + span.text }
        }
        if !text.isEmpty { text += "\u{1B}[0m" }
        shown = screen.lines
        return Array(text.utf8)
    }

    private func sequence(_ style: Style) -> String {
        var codes = "0"
        if style.contains(.bold) { codes += ";1" }
        if style.contains(.dim) { codes += ";2" }
        if style.contains(.reverse) { codes += ";7" }
        if style.contains(.red), hasColours { codes += ";31" }
        return "\u{1B}[\(codes)m"
    }
}
