import StoryBrowser

/// A column of a table.
struct Column {
    /// What becomes of it on a terminal that is too narrow.
    enum Fit {
        /// It is the last to be cut.
        case whole
        case cut
        case leftAway
    }

    let name: String
    let fit: Fit

    init(_ name: String, fit: Fit = .whole) {
        self.name = name
        self.fit = fit
    }
}

/// Rows under each other in aligned columns, and single objects as names and values.
struct Table {
    /// What is cut keeps so many columns of the terminal, while others can give way.
    private static let narrow = 12
    /// No column is made narrower than this, so that every one can be told from the others.
    private static let narrowest = 6
    private static let gap = 2

    private let columns: [Column]
    private let limit: Int?
    /// The widths of the columns that are shown, by their indexes, which the first rows decide; nil before them.
    private var widths: [(column: Int, width: Int)]?

    /// - Parameters:
    ///   - columns: what to show, in this order.
    ///   - limit: the width of the terminal, into which columns are made to fit; nil: values are whole.
    init(_ columns: [Column], limit: Int?) {
        self.columns = columns
        self.limit = limit
    }

    /// An object's members in the order of the columns; what it lacks is empty.
    static func cells(of object: ShownJSON, _ columns: [Column], _ text: (ShownJSON) -> String) -> [String] {
        let members = object.members
        return columns.map { members[$0.name].map(text) ?? "" }
    }

    /// The lines of the next rows; before the first ones, the headings.
    mutating func lines(_ rows: [[String]]) -> [String] {
        let headings = widths == nil ? [columns.map(\.name)] : []
        let known = widths ?? fitted(rows)
        widths = known
        return (headings + rows).map { joined($0, known) }
    }

    /// As wide as the first rows want it. Where that is more than there is, texts are cut, then what can be done
    /// without is left away, then everything is cut.
    private func fitted(_ rows: [[String]]) -> [(column: Int, width: Int)] {
        let wanted = columns.indices.map { index in
            let cells = rows.map { Shown.width($0[index]) }.max() ?? 0
            return (column: index, width: max(Shown.width(columns[index].name), cells))
        }
        guard limit != nil else { return wanted }
        let all = cut(wanted, to: Table.narrow) { columns[$0].fit == .cut }
        guard excess(all) > 0 else { return all }
        let kept = cut(wanted.filter { columns[$0.column].fit != .leftAway }, to: Table.narrow) {
            columns[$0].fit == .cut
        }
        return cut(kept, to: Table.narrowest) { _ in true }
    }

    /// How many columns of the terminal are missing.
    private func excess(_ widths: [(column: Int, width: Int)]) -> Int {
        widths.reduce(Table.gap * (widths.count - 1)) { $0 + $1.width } - (limit ?? .max)
    }

    /// Makes the widest of some columns narrower until all fit, or none can give way.
    private func cut(
        _ widths: [(column: Int, width: Int)], to least: Int, _ givesWay: (Int) -> Bool
    ) -> [(column: Int, width: Int)] {
        var widths = widths
        var missing = excess(widths)
        while missing > 0 {
            let candidates = widths.indices.filter { givesWay(widths[$0].column) && widths[$0].width > least }
            guard let widest = candidates.max(by: { widths[$0].width < widths[$1].width }) else { break }
            widths[widest].width -= 1
            missing -= 1
        }
        return widths
    }

    private func joined(_ cells: [String], _ widths: [(column: Int, width: Int)]) -> String {
        let shown = widths.map { column, width in
            Table.padded(limit == nil ? cells[column] : Shown.cut(cells[column], to: width), to: width)
        }
        var line = shown.joined(separator: String(repeating: " ", count: Table.gap))
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A line for each member in their order, nested ones indented under their name.
    static func lines(object: ShownJSON) -> [String] {
        var lines: [String] = []
        // A list of work instead of recursion: how deep an answer nests is not for this program to say.
        var work: [(name: String, value: ShownJSON, depth: Int)] = [("", object, -1)]
        while let (name, value, depth) = work.popLast() {
            let indent = String(repeating: "  ", count: max(depth, 0))
            guard value.isNested, depth < 8 else {
                lines.append("\(indent)\(padded(name, to: 18 - indent.count))  \(value.shown)")
                continue
            }
            if depth >= 0 { lines.append("\(indent)\(name)") }
            work.append(contentsOf: value.fields.reversed().map { (Shown.safe($0.name), $0.value, depth + 1) })
        }
        return lines
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - Shown.width(text), 0))
    }
}
