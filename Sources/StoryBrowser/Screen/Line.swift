/// The style of a part of a line.
package struct Style: OptionSet, Hashable, Sendable {
    /// A bit for each attribute.
    package let rawValue: UInt8
    /// Creates a style from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bold.
    package static let bold = Style(rawValue: 1)
    /// Dim.
    package static let dim = Style(rawValue: 2)
    /// Reverse video.
    package static let reverse = Style(rawValue: 4)
    /// Red.
    package static let red = Style(rawValue: 8)
    /// Green.
    package static let green = Style(rawValue: 16)
    /// Yellow.
    package static let yellow = Style(rawValue: 32)
}

/// The meaning of a value, by which it is coloured. Its text tells the same without colours.
package enum Tone: Hashable, Sendable {
    /// Neither good nor bad.
    case plain
    /// A state in words: `leading`, `failed`, `ready, 2 misfits`, `under way`.
    case state
    /// A number of faults: 0 where all is well.
    case faults

    /// Returns the style of a value.
    package func style(of text: String) -> Style {
        switch self {
        case .plain: []
        case .faults: text.isEmpty || text == "0" || text == "–" ? [] : .yellow
        case .state where text.contains("misfit"): .yellow
        case .state:
            switch text.prefix(while: \.isLetter) {
            case "leading", "following", "ready": .green
            case "catchingUp", "building", "is", "under": .yellow
            case "failed", "silent", "no": .red
            default: []
            }
        }
    }
}

/// A part of a line in one style.
package struct Span: Hashable, Sendable {
    /// The text.
    package let text: String
    /// The style.
    package let style: Style
}

/// A line of a screen. Its text is safe for a terminal, whatever its source.
package struct Line: Hashable, Sendable {
    /// The parts of the line.
    package private(set) var spans: [Span] = []

    /// Creates an empty line.
    package init() {}

    /// Creates a line of one text.
    package init(_ text: String, _ style: Style = []) { add(text, style) }

    /// The text without styles.
    package var text: String { spans.map(\.text).joined() }

    /// The width in terminal columns.
    package var width: Int { spans.reduce(0) { $0 + Shown.width($1.text) } }

    /// Appends a text.
    package mutating func add(_ text: String, _ style: Style = []) {
        guard !text.isEmpty else { return }
        spans.append(Span(text: Shown.safe(text), style: style))
    }

    /// Appends a text of exactly the given number of columns: cut, or padded with spaces.
    package mutating func add(_ text: String, columns: Int, _ style: Style = []) {
        guard columns > 0 else { return }
        let cut = Shown.cut(Shown.safe(text), to: columns)
        add(cut + String(repeating: " ", count: max(0, columns - Shown.width(cut))), style)
    }

    /// Returns the line cut to a number of columns.
    package func cut(to columns: Int) -> Line {
        var line = Line()
        var left = columns
        for span in spans where left > 0 {
            let cut = Shown.cut(span.text, to: left)
            line.add(cut, span.style)
            left -= Shown.width(cut)
        }
        return line
    }

    /// Returns the line cut or padded to a number of columns.
    package func fitted(to columns: Int) -> Line {
        var line = cut(to: columns)
        line.add(String(repeating: " ", count: max(0, columns - line.width)))
        return line
    }

    /// Returns the line with a style added to all of it.
    package func styled(_ style: Style) -> Line {
        var line = Line()
        for span in spans { line.add(span.text, span.style.union(style)) }
        return line
    }
}

/// The size of a terminal, in columns and rows of characters.
package struct Size: Hashable, Sendable {
    /// The number of columns.
    package var columns: Int
    /// The number of rows.
    package var rows: Int

    /// Creates a size.
    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

    /// The smallest size for the browser.
    package static let smallest = Size(columns: 80, rows: 24)

    /// True if the browser does not fit.
    package var isTooSmall: Bool { columns < Size.smallest.columns || rows < Size.smallest.rows }
}

/// The contents of a terminal: a line of its full width for each row.
package struct Screen: Hashable, Sendable {
    /// The lines from top to bottom.
    package let lines: [Line]

    /// Creates a screen of lines that are cut and padded to a size.
    package init(_ lines: [Line], _ size: Size) {
        let shown = lines.prefix(size.rows) + Array(repeating: Line(), count: max(0, size.rows - lines.count))
        self.lines = shown.map { $0.fitted(to: size.columns) }
    }

    /// The lines without styles and trailing spaces.
    package var text: [String] {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }
}
