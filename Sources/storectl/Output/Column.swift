import StoryBrowser

/// A column of a table: the member of a row that it shows, and its ways on a terminal.
struct Column {
    /// The way it gives room where the terminal is too narrow for all columns.
    enum Fit: Equatable {
        /// It is never cut.
        case whole
        /// Its values are cut, down to so many columns of the terminal.
        case cut(Int)
        /// It gives way first.
        case leftOut
    }

    /// The member's name, which is the heading where programs read it.
    let name: String
    /// The heading for a person.
    let heading: String
    let fit: Fit
    let isDate: Bool
    /// Its order on a terminal; nil behind those that have one.
    let rank: Int?

    init(_ name: String, heading: String? = nil, fit: Fit = .whole, isDate: Bool = false, rank: Int? = nil) {
        (self.name, self.heading, self.fit) = (name, heading ?? name, fit)
        (self.isDate, self.rank) = (isDate, rank)
    }

    /// The column of a member, as the browser shows it where it does.
    init(_ name: String, among shapes: [ColumnShape]) {
        guard let index = shapes.firstIndex(where: { $0.member == name }) else {
            // A row is asked for by its ID, so that it comes first.
            self = name == "id" ? Column(name, fit: .cut(12), rank: -1) : Column(name, fit: .leftOut)
            return
        }
        let shape = shapes[index]
        let fit: Fit =
            switch shape.width {
            case .whole, .date: .whole
            case .name(let least): .cut(least)
            case .rest: .cut(8)
            }
        self = Column(
            name, heading: shape.heading, fit: fit, isDate: shape.width == .date, rank: name == "id" ? -1 : index)
    }

    /// The same for who asked for it: it stays, where it is in the list.
    var chosen: Column { Column(name, heading: heading, fit: fit == .leftOut ? .cut(12) : fit, isDate: isDate) }

    /// A value as a person reads it.
    func shown(_ value: ShownJSON) -> String {
        guard isDate else { return value.shown }
        return Column.plainDate(value.shown)
    }

    /// `2026-08-10 22:56:00` of the time as the store writes it, which is in UTC.
    private static func plainDate(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == 0x54, bytes.last == 0x5A else { return text }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
