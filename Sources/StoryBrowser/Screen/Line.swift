/// How a part of a line looks.
package struct Style: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = Style(rawValue: 1)
    package static let dim = Style(rawValue: 2)
    package static let reverse = Style(rawValue: 4)
    package static let red = Style(rawValue: 8)
}

/// A part of a line that looks the same from end to end.
package struct Span: Hashable, Sendable {
    package let text: String
    package let style: Style
}

/// A line of a screen. Its text is safe for a terminal, whatever it was made of.
package struct Line: Hashable, Sendable {
    package private(set) var spans: [Span] = []

    /// An empty line.
    package init() {}

    /// A line of one text.
    package init(_ text: String, _ style: Style = []) { add(text, style) }

    /// The text without how it looks.
    package var text: String { spans.map(\.text).joined() }

    /// How many columns it takes.
    package var width: Int { spans.reduce(0) { $0 + Shown.width($1.text) } }

    /// Adds a text at the end.
    package mutating func add(_ text: String, _ style: Style = []) {
        guard !text.isEmpty else { return }
        spans.append(Span(text: Shown.safe(text), style: style))
    }

    /// Adds a text that takes exactly so many columns: cut, or filled up with spaces.
    package mutating func add(_ text: String, columns: Int, _ style: Style = []) {
        guard columns > 0 else { return }
        let cut = Shown.cut(Shown.safe(text), to: columns)
        add(cut + String(repeating: " ", count: max(0, columns - Shown.width(cut))), style)
    }

    /// The same line in exactly so many columns, its spaces at the end looking as told.
    package func fitted(to columns: Int, filling style: Style = []) -> Line {
        var line = Line()
        var left = columns
        for span in spans where left > 0 {
            let cut = Shown.cut(span.text, to: left)
            line.add(cut, span.style)
            left -= Shown.width(cut)
        }
        line.add(String(repeating: " ", count: max(0, left)), style)
        return line
    }

    /// The same line with a look added to all of it.
    package func styled(_ style: Style) -> Line {
        var line = Line()
        for span in spans { line.add(span.text, span.style.union(style)) }
        return line
    }
}

/// How large a terminal is, in columns and rows of characters.
package struct Size: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// What the browser wants at least.
    package static let smallest = Size(columns: 80, rows: 24)

    /// True where the browser does not fit.
    package var isTooSmall: Bool { columns < Size.smallest.columns || rows < Size.smallest.rows }
}

/// All that a terminal shows: as many lines as it has rows, each of its width.
package struct Screen: Hashable, Sendable {
    package let lines: [Line]

    /// Lines cut to a size and filled up to it.
    package init(_ lines: [Line], _ size: Size) {
        let shown = lines.prefix(size.rows) + Array(repeating: Line(), count: max(0, size.rows - lines.count))
        self.lines = shown.map { $0.fitted(to: size.columns) }
    }

    /// The lines without how they look, and without the spaces at their ends.
    package var text: [String] {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }
}
