/// A row that a field refers to: its kind and its ID.
package struct Reference: Hashable, Sendable {
    /// The name of the kind.
    package let kind: String
    /// The ID of the row.
    package let id: String
}

/// A row that a form offers for a field which refers to its kind.
struct NamedRow: Hashable, Sendable {
    let id: String
    let name: String
    /// Another text that it is known by, such as an address; empty where there is none.
    let note: String
}

/// The rows of a kind that the text of a field may mean.
struct FoundRows: Equatable, Sendable {
    let kind: String
    let text: String
    /// The row with that text as the ID; nil if there is none.
    var exact: NamedRow?
    /// The rows whose name, address or ID begins with the text; none where it is an ID.
    var rows: [NamedRow] = []
}

/// A list of rows to choose from, below the field of a form.
struct Offers: Equatable, Sendable {
    /// The most rows that are shown at once.
    private static let shownCount = 6

    let rows: [NamedRow]
    private(set) var chosen = 0

    init(_ rows: [NamedRow]) { self.rows = rows }

    var row: NamedRow? { rows.indices.contains(chosen) ? rows[chosen] : nil }

    mutating func move(by count: Int) { chosen = max(0, min(chosen + count, rows.count - 1)) }

    /// Returns the lines of the rows around the chosen one.
    func lines(indent: Int, columns: Int) -> [Line] {
        let top = max(0, min(chosen - Offers.shownCount / 2, rows.count - Offers.shownCount))
        return rows.indices.dropFirst(top).prefix(Offers.shownCount).map { index in
            let row = rows[index]
            var line = Line(String(repeating: " ", count: indent))
            let text = "\(row.name) (\(row.id))  \(row.note)"
            line.add(text, columns: max(0, columns - indent), index == chosen ? .reverse : .dim)
            return line
        }
    }
}

/// The names of the rows that fields refer to, as far as they are known.
struct Names: Equatable, Sendable {
    /// The cached state of a row.
    private struct Known: Equatable {
        var name: String?
        /// False if the name has to be requested, perhaps again.
        var isAsked: Bool
    }

    /// The most cached rows; a fuller cache is emptied, and the names on the screen are requested again.
    private static let limit = 2_000

    private var known: [Reference: Known] = [:]

    /// Returns the name of a row; the ID if no name is known.
    func name(of row: Reference) -> String { known[row]?.name ?? row.id }

    /// Returns the name of a row; nil if no name is known.
    func known(_ row: Reference) -> String? { known[row]?.name }

    /// Returns the names of the rows that the value of a filter consists of, for display behind it.
    func told(_ rows: [Reference]) -> String {
        let names = rows.compactMap(known)
        return names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    }

    /// Returns the name followed by the ID; the ID alone if no name is known.
    func full(_ row: Reference) -> String { known[row]?.name.map { "\($0) (\(row.id))" } ?? row.id }

    /// Returns those rows whose names have to be requested, each once, and marks them as requested.
    mutating func ask(for rows: [Reference]) -> [Reference] {
        if known.count > Names.limit { known = [:] }
        var wanted: [Reference] = []
        for row in rows where known[row]?.isAsked != true {
            known[row, default: Known(isAsked: true)].isAsked = true
            wanted.append(row)
        }
        return wanted
    }

    /// Stores names from the store; nil for a row that has none, or could not be read.
    mutating func take(_ names: [Reference: String?]) {
        for (row, name) in names { known[row]?.name = name }
    }

    /// Marks a revised row's name to be requested again; the old one is shown until then.
    mutating func ask(anew row: Reference) { known[row]?.isAsked = false }

    /// Marks the names of a kind's rows to be requested again; the old ones are shown until then.
    mutating func ask(anewFor kind: String) { for row in known.keys where row.kind == kind { ask(anew: row) } }

    /// Forgets rows without a name after a lost connection, so that they are requested again.
    mutating func askForNameless() { known = known.filter { $0.value.name != nil } }
}
