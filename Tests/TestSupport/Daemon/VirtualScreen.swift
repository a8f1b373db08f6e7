import Glibc

/// What a terminal would show after it was sent some text: the few sequences that the store's programs use.
package struct VirtualScreen {
    private var cells: [[Character?]]
    private var row = 0
    private var column = 0
    private let columns: Int
    /// True while the second page is shown.
    package private(set) var isOnSecondPage = false
    /// True where a cursor is to be seen.
    package private(set) var hasCursor = true
    /// How many characters were drawn beyond the right edge.
    package private(set) var overruns = 0

    /// An empty terminal of a size.
    package init(columns: Int = 80, rows: Int = 24) {
        self.columns = columns
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The lines without the spaces at their ends.
    package var lines: [String] {
        cells.map { row in
            var text = row.compactMap { $0.map(String.init) }.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    /// Everything as one text.
    package var text: String { lines.joined(separator: "\n") }

    /// Takes all that was sent.
    package mutating func take(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1B}": sequence(&rest)
            case "\r": column = 0
            case "\n": row = min(row + 1, cells.count - 1)
            default: draw(scalar)
            }
        }
    }

    private mutating func sequence(_ rest: inout Substring.UnicodeScalarView) {
        guard rest.popFirst() == "[" else { return }
        var parameters = ""
        while let scalar = rest.popFirst() {
            guard scalar.properties.isAlphabetic else {
                parameters.unicodeScalars.append(scalar)
                continue
            }
            return carryOut(scalar, parameters)
        }
    }

    private mutating func carryOut(_ command: Unicode.Scalar, _ parameters: String) {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        switch (command, parameters) {
        case ("H", _):
            row = max(0, min((numbers.first ?? 1) - 1, cells.count - 1))
            column = max(0, (numbers.dropFirst().first ?? 1) - 1)
        case ("J", _): cells = cells.map { $0.map { _ in " " } }
        case ("K", _):
            // Behind the last column the cursor stands on it.
            for index in cells[row].indices.dropFirst(min(column, columns - 1)) { cells[row][index] = " " }
        case ("h", "?1049"): isOnSecondPage = true
        case ("l", "?1049"): isOnSecondPage = false
        case ("h", "?25"): hasCursor = true
        case ("l", "?25"): hasCursor = false
        default: break
        }
    }

    private mutating func draw(_ scalar: Unicode.Scalar) {
        let width = VirtualScreen.width(scalar)
        guard width > 0 else {
            // An accent joins the letter before it.
            if column > 0, column <= columns, let before = cells[row][column - 1] {
                cells[row][column - 1] = Character(String(before) + String(scalar))
            }
            return
        }
        guard column + width <= columns else {
            overruns += 1
            return
        }
        cells[row][column] = Character(scalar)
        for index in 1..<max(2, width) where index < width { cells[row][column + index] = nil }
        column += width
    }

    /// The columns of a character as the system's C library has them.
    package static let width: @Sendable (Unicode.Scalar) -> Int = {
        setlocale(LC_CTYPE, "C.UTF-8")
        guard let found = dlsym(nil, "wcwidth") else { return { _ in 1 } }
        let wcwidth = unsafeBitCast(found, to: (@convention(c) (wchar_t) -> Int32).self)
        return { max(0, Int(wcwidth(wchar_t($0.value)))) }
    }()
}
