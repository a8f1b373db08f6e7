import StoryBrowser

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
