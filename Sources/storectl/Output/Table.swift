import StoryBrowser

/// The layout of rows in aligned columns, and of single objects as names and values.
struct Table {
    private static let gap = 2

    /// The layout of rows.
    private enum Layout {
        /// The indexes of the columns that are shown, each with its width.
        case columns([(column: Int, width: Int)])
        /// A line for each field, when the terminal is too narrow for columns.
        case fields
    }

    private let columns: [Column]
    private let limit: Int?
    /// The layout, which the first rows decide; nil before them.
    private var layout: Layout?
    /// The names of the columns that have no room and yield.
    private var yielded: [String] = []

    /// Orders the columns.
    ///
    /// - Parameters:
    ///   - columns: the columns to show.
    ///   - limit: the width of the terminal, on which columns are left out and values cut; nil to show all of them
    ///     whole.
    init(_ columns: [Column], limit: Int?) {
        self.limit = limit
        guard limit != nil else {
            self.columns = columns
            return
        }
        let ranked = columns.filter { $0.rank != nil }.sorted { ($0.rank ?? 0) < ($1.rank ?? 0) }
        self.columns = ranked + columns.filter { $0.rank == nil }
    }

    /// Returns the lines of the next rows, and with the first ones the heading, if there is one.
    mutating func lines(_ rows: [ShownJSON]) -> (heading: String?, rows: [Line]) {
        let cells = rows.map { row in
            let members = row.members
            return columns.map { column in members[column.name].map { limit == nil ? $0.shown : column.shown($0) } ?? ""
            }
        }
        let isFirst = layout == nil
        let layout = if let layout { layout } else { fitted(cells) }
        self.layout = layout
        switch layout {
        case .columns(let widths):
            return (isFirst ? joined(columns.map(heading), widths).text : nil, cells.map { styled($0, widths) })
        case .fields:
            let lines = cells.enumerated().flatMap { index, cells in fields(cells, isFirst: isFirst && index == 0) }
            return (nil, lines.map { Line($0) })
        }
    }

    /// The sentence about the columns that have no room; nil where there are none.
    var hint: String? {
        yielded.isEmpty ? nil : "no room for \(yielded.joined(separator: ", ")); a row has all, --columns A,B chooses"
    }

    private func heading(_ column: Column) -> String { limit == nil ? column.name : column.heading }

    private mutating func fitted(_ rows: [[String]]) -> Layout {
        var widths = columns.indices.map { index in
            let cells = rows.map { Shown.width($0[index]) }.max() ?? 0
            return (column: index, width: max(Shown.width(heading(columns[index])), cells))
        }
        while excess(widths) > 0, let last = widths.lastIndex(where: { columns[$0.column].fit == .leftOut }) {
            widths.remove(at: last)
        }
        while excess(widths.map { (column: $0.column, width: least($0)) }) > 0,
            let last = widths.lastIndex(where: { columns[$0.column].yields })
        {
            yielded.insert(columns[widths.remove(at: last).column].name, at: 0)
        }
        // Names are cut before texts, which get the rest; a heading is never cut.
        for isLast in [false, true] where excess(widths) > 0 { cut(&widths, isLast: isLast) }
        return excess(widths) > 0 ? .fields : .columns(widths)
    }

    /// Returns the number of terminal columns that are missing.
    private func excess(_ widths: [(column: Int, width: Int)]) -> Int {
        widths.reduce(Table.gap * (widths.count - 1)) { $0 + $1.width } - (limit ?? .max)
    }

    /// Returns the width below which a column is not cut.
    private func least(_ shown: (column: Int, width: Int)) -> Int {
        let column = columns[shown.column]
        guard case .cut(let least) = column.fit else { return shown.width }
        return min(shown.width, max(least, Shown.width(heading(column))))
    }

    /// Makes the widest columns narrower until all fit, or none can be cut.
    ///
    /// - Parameter isLast: true to cut texts as well.
    private func cut(_ widths: inout [(column: Int, width: Int)], isLast: Bool) {
        var missing = excess(widths)
        while missing > 0 {
            let candidates = widths.indices.filter { index in
                let column = columns[widths[index].column]
                guard case .cut(let least) = column.fit, isLast || least > 8 else { return false }
                return widths[index].width > self.least(widths[index])
            }
            guard let widest = candidates.max(by: { widths[$0].width < widths[$1].width }) else { return }
            widths[widest].width -= 1
            missing -= 1
        }
    }

    private func styled(_ cells: [String], _ widths: [(column: Int, width: Int)]) -> Line {
        joined(cells, widths) { columns[$0].tone.style(of: cells[$0]) }
    }

    /// Returns cells side by side, without spaces at the end.
    private func joined(
        _ cells: [String], _ widths: [(column: Int, width: Int)], _ style: (Int) -> Style = { _ in [] }
    ) -> Line {
        let shown = widths.map { limit == nil ? cells[$0.column] : Shown.cut(cells[$0.column], to: $0.width) }
        let count = shown.lastIndex { !$0.allSatisfy { $0 == " " } }.map { $0 + 1 } ?? 0
        var line = Line()
        for index in 0..<count {
            let width = widths[index].width
            let text = index < count - 1 ? Table.padded(shown[index], to: width) : Table.trimmed(shown[index])
            line.add(text, style(widths[index].column))
            if index < count - 1 { line.add(String(repeating: " ", count: Table.gap)) }
        }
        return line
    }

    private static func trimmed(_ text: String) -> String { String(text.reversed().drop { $0 == " " }.reversed()) }

    /// Returns the fields of one row below each other, with an empty line between rows.
    private func fields(_ cells: [String], isFirst: Bool) -> [String] {
        let lines = zip(columns, cells).filter { $0.0.fit != .leftOut }.flatMap { column, cell in
            Wrapping.lines(of: "\(column.heading): \(cell)", columns: limit ?? 80, limit: 1_000)
        }
        return (isFirst ? [] : [""]) + lines
    }

    /// Returns a line for each member in their order; nested members are indented under their name.
    static func lines(object: ShownJSON) -> [String] {
        var lines: [String] = []
        // A work list instead of recursion, since the depth of a reply is not limited by this program.
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

    /// Returns lines of names and explanations, in two columns.
    static func lines(pairs rows: [(String, String)]) -> [String] {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - Shown.width(text), 0))
    }
}

/// A column of a table: the member of a row that it shows, and its format on a terminal.
struct Column {
    /// The way it is shortened when the terminal is too narrow for all columns.
    enum Fit: Equatable {
        /// The column is never cut.
        case whole
        /// Its values are cut, down to the given number of columns of the terminal.
        case cut(Int)
        /// The column is left out first.
        case leftOut
    }

    /// The member's name, which is also the heading in output for programs.
    let name: String
    /// The heading for a person.
    let heading: String
    let fit: Fit
    let isDate: Bool
    let tone: Tone
    /// Its order on a terminal; nil for columns that follow those with a rank.
    let rank: Int?
    /// True if it is left out, and named below the rows, where the terminal has no room for its least width.
    var yields = false

    init(
        _ name: String, heading: String? = nil, fit: Fit = .whole, isDate: Bool = false, tone: Tone = .plain,
        rank: Int? = nil
    ) {
        (self.name, self.heading, self.fit) = (name, heading ?? name, fit)
        (self.isDate, self.tone, self.rank) = (isDate, tone, rank)
    }

    /// Creates the column of a member, in the browser's format if the browser shows it.
    init(_ name: String, among shapes: [ColumnShape]) {
        guard let index = shapes.firstIndex(where: { $0.member == name }) else {
            // A row is addressed by its ID, so the ID comes first.
            self = name == "id" ? Column(name, fit: .cut(12), rank: -1) : Column(name, fit: .leftOut)
            return
        }
        let shape = shapes[index]
        let fit: Fit =
            switch shape.width {
            case .whole, .date: .whole
            case .name(let least), .content(let least): .cut(least)
            case .rest: .cut(8)
            }
        self = Column(
            name, heading: shape.heading, fit: fit, isDate: shape.width == .date, rank: name == "id" ? -1 : index)
    }

    /// Creates the column of a member of a description of models or nodes, in the order of the description.
    init(described name: String) {
        let tone: Tone =
            switch name {
            case "state": .state
            case "misfits": .faults
            default: .plain
            }
        self.init(name, tone: tone)
    }

    /// The column when the user selected it: it is not left out, and keeps its order in the list.
    var chosen: Column {
        Column(name, heading: heading, fit: fit == .leftOut ? .cut(12) : fit, isDate: isDate, tone: tone)
    }

    /// Returns a value as a person reads it.
    func shown(_ value: ShownJSON) -> String {
        guard isDate else { return value.shown }
        return Column.plainDate(value.shown)
    }

    /// Returns `2026-08-10 22:56:00` for a time in the store's format, which is in UTC.
    private static func plainDate(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == 0x54, bytes.last == 0x5A else { return text }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
