import StoryClient

// The view of a list.
extension ListState {
    func view(_ size: Size, _ names: Names) -> [Line] {
        let columns = kind.columns
        let widths = ColumnWidths.of(columns.map { ($0.shape.width, content($0, names)) }, columns: size.columns)
        var heading = Line("  ")
        for (column, width) in zip(columns, widths) {
            heading.add(column.shape.heading, columns: width + 1, .bold)
        }
        var lines = [summary(names, hidden: columns.count - widths.count), heading]
        let height = max(0, size.rows - lines.count)
        if window.rows.isEmpty {
            let text = Wrapping.lines(of: emptiness, columns: size.columns - 4, limit: height)
            return lines + text.map { Line("  " + $0, .dim) }
        }
        let top = max(0, min(selected - height / 2, window.rows.count - height))
        for index in window.rows.indices.dropFirst(top).prefix(height) {
            let cells = zip(columns, widths).map { Cell($0.text(window.rows[index], names), $0.tone, width: $1) }
            let line = line(window.rows[index], cells, isSelected: index == selected)
            lines.append(line.fitted(to: size.columns))
            if index == selected { lines[lines.count - 1] = lines[lines.count - 1].styled(.reverse) }
        }
        return lines
    }

    /// Returns the width of the heading and of the longest value among the rows in memory, of a column that is as wide.
    private func content(_ column: ListColumn<Content>, _ names: Names) -> Int {
        guard case .content = column.shape.width else { return 0 }
        let values = window.rows.map { Shown.width(Shown.safe(column.text($0, names))) }
        return max(Shown.width(column.shape.heading), values.max() ?? 0)
    }

    /// Returns the filter, sort and state of the list.
    ///
    /// - Parameter hidden: the number of columns without room.
    private func summary(_ names: Names, hidden: Int) -> Line {
        var line = Line()
        let filters = filters.map { "\($0.name)=\($0.value)" + names.told(kind.references(in: $0)) }
        if kind.hasForm(.filter) {
            line.add((filters.isEmpty ? "all" : filters.joined(separator: " ")) + " · ", .dim)
        }
        line.add(kind.summary(of: query), .dim)
        if isHeld { line.add(" · held, Home shows the newest", .bold) }
        if !arrived.isEmpty { line.add(" · \(arrived.count) new", .bold) }
        if case .loading = phase { line.add(" · …", .dim) }
        if window.hasMoreAbove || window.next != nil { line.add(" · more than the \(window.rows.count) here", .dim) }
        if hidden > 0 { line.add(" · \(hidden) more on the page", .dim) }
        return line
    }

    private var emptiness: String {
        switch phase {
        case .loading, .ready: isLoaded ? kind.emptiness : "…"
        case .failed(let sentence): sentence
        }
    }

    private func line(_ row: Content, _ cells: [Cell], isSelected: Bool) -> Line {
        var line = Line(isSelected ? "▸" : " ")
        line.add(arrived.contains(row.id) ? "*" : " ", .bold)
        for cell in cells {
            line.add(cell.text, columns: cell.width, cell.style)
            line.add(" ")
        }
        return line
    }
}

/// A value of a row in its column.
private struct Cell {
    let text: String
    let style: Style
    let width: Int

    init(_ text: String, _ tone: Tone, width: Int) {
        (self.text, style, self.width) = (text, tone.style(of: text), width)
    }
}

/// The widths of the columns of a list in terminal columns, as many of them as have room.
enum ColumnWidths {
    /// A column: its width by its kind, and the width of its longest value and heading.
    typealias Column = (shape: ColumnShape.Width, content: Int)

    /// Returns the shares of a number of terminal columns among these columns.
    static func of(_ all: [Column], columns: Int) -> [Int] {
        let shown = ColumnWidths.shown(all, columns)
        let rests = shown.filter { $0.shape == .rest }.count
        let names = shown.count { if case .name = $0.shape { true } else { false } }
        var left = max(0, columns - 2 - shown.reduce(0) { $0 + (ColumnWidths.least($1) ?? 0) + 1 })
        let fitted = ColumnWidths.fitted(shown, &left)
        // Texts come first; names share the columns that texts do not need, up to a length that few names have.
        let more = rests == 0 ? left / max(1, names) : min(14, max(0, left - 30 * rests) / (names + 2 * rests))
        let rest = rests == 0 ? 0 : max(4, (left - more * names) / rests)
        return zip(shown, fitted).map { column, fitted in
            if case .name(let count) = column.shape { count + more } else { fitted ?? rest }
        }
    }

    /// Returns the widths of columns with a width of their own, of which those by content grow together, so that a long
    /// value takes no room from the shorter ones of other columns.
    private static func fitted(_ shown: [Column], _ left: inout Int) -> [Int?] {
        var widths = shown.map { ColumnWidths.least($0) }
        while left > 0 {
            let growing = shown.indices.filter { index in
                guard case .content = shown[index].shape, let width = widths[index] else { return false }
                return width < shown[index].content
            }
            guard let narrowest = growing.min(by: { widths[$0] ?? 0 < widths[$1] ?? 0 }) else { break }
            widths[narrowest] = (widths[narrowest] ?? 0) + 1
            left -= 1
        }
        return widths
    }

    /// Returns the first columns, as many as have room for the beginning of their values.
    private static func shown(_ all: [Column], _ columns: Int) -> [Column] {
        var left = columns - 2
        return Array(
            all.prefix { column in
                left -= (least(column) ?? 8) + 1
                return left >= 0
            })
    }

    /// Returns the minimum of a width in terminal columns; nil for a share of the rest.
    private static func least(_ column: Column) -> Int? {
        switch column.shape {
        case .whole(let count), .name(let count): count
        case .content(let count): min(count, column.content)
        case .date: 19
        case .rest: nil
        }
    }
}
