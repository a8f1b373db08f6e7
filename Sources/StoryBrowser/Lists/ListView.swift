import StoryClient

// The view of a list.
extension ListState {
    func view(_ size: Size, _ names: Names) -> [Line] {
        let widths = ListState.widths(size.columns)
        var heading = Line("  ")
        for (column, width) in zip(Kind.columns, widths) {
            heading.add(column.shape.heading, columns: width + 1, .bold)
        }
        var lines = [summary(names), heading]
        let height = max(0, size.rows - lines.count)
        if window.rows.isEmpty { return lines + [Line("  " + emptiness, .dim)] }
        let top = max(0, min(selected - height / 2, window.rows.count - height))
        for index in window.rows.indices.dropFirst(top).prefix(height) {
            let line = line(window.rows[index], widths, names, isSelected: index == selected)
            lines.append(line.fitted(to: size.columns))
            if index == selected { lines[lines.count - 1] = lines[lines.count - 1].styled(.reverse) }
        }
        return lines
    }

    /// Returns the filter, sort and state of the list.
    private func summary(_ names: Names) -> Line {
        var line = Line()
        let filters = filters.map { "\($0.name)=\($0.value)" + names.told($0) }
        line.add(filters.isEmpty ? "all" : filters.joined(separator: " "), .dim)
        line.add(" · by \(query.sort.rawValue), ", .dim)
        line.add(query.order == .descending ? "descending" : "ascending", .dim)
        if !arrived.isEmpty { line.add(" · \(arrived.count) new", .bold) }
        if case .loading = phase { line.add(" · …", .dim) }
        if window.hasMoreAbove || window.next != nil { line.add(" · more than the \(window.rows.count) here", .dim) }
        return line
    }

    private var emptiness: String {
        switch phase {
        case .loading: "…"
        case .ready: isLoaded ? "nothing here" : "…"
        case .failed(let sentence): sentence
        }
    }

    private func line(_ row: Content, _ widths: [Int], _ names: Names, isSelected: Bool) -> Line {
        var line = Line(isSelected ? "▸" : " ")
        line.add(arrived.contains(row.id) ? "*" : " ", .bold)
        for (column, width) in zip(Kind.columns, widths) {
            line.add(column.text(row, names), columns: width)
            line.add(" ")
        }
        return line
    }

    /// Returns the width of each column of the list in terminal columns.
    private static func widths(_ columns: Int) -> [Int] {
        let shapes = Kind.columns.map(\.shape.width)
        let rests = shapes.filter { $0 == .rest }.count
        let names = max(1, shapes.count { if case .name = $0 { true } else { false } })
        let left = max(0, columns - 2 - shapes.reduce(0) { $0 + (least($1) ?? 0) + 1 })
        // Texts come first; names share the columns that texts do not need, up to a length that few names have.
        let more = rests == 0 ? left / names : min(14, max(0, left - 30 * rests) / (names + 2 * rests))
        let rest = rests == 0 ? 0 : max(4, (left - more * names) / rests)
        return shapes.map { width in
            if case .name(let count) = width { count + more } else { least(width) ?? rest }
        }
    }

    /// Returns the minimum of a width in terminal columns; nil for a share of the rest.
    private static func least(_ width: ColumnShape.Width) -> Int? {
        switch width {
        case .whole(let count), .name(let count): count
        case .date: 19
        case .rest: nil
        }
    }
}
