/// The layout of a line on a terminal that wraps full rows.
package struct LineLayout: Equatable, Sendable {
    /// A cell of the terminal, relative to the line's start.
    package struct Cell: Equatable, Sendable {
        /// The row, from 0.
        package var row = 0
        /// The column, from 0.
        package var column = 0
    }

    /// The cell of the cursor.
    package private(set) var cursor = Cell()
    /// The cell behind the line's last character.
    package private(set) var end = Cell()

    /// Lays out a prompt and a line.
    ///
    /// - Parameters:
    ///   - prompt: the text before the line.
    ///   - width: the number of columns of the terminal.
    package init(_ prompt: String, _ line: TypedLine, width: Int) {
        for character in prompt { place(character, width) }
        cursor = end
        for (index, character) in line.text.enumerated() {
            place(character, width)
            if index + 1 == line.cursor { cursor = end }
        }
    }

    private mutating func place(_ character: Character, _ width: Int) {
        let columns = Shown.width(Shown.safe(String(character)))
        if end.column + columns > width { end = Cell(row: end.row + 1) }
        end.column += columns
        if end.column == width { end = Cell(row: end.row + 1) }
    }
}
