/// Rows under each other in aligned columns, and single objects as names and values.
enum Table {
    /// The order of the members that are known; others follow by name, and these last ones close the row.
    private static let leading = [
        "id", "title", "text", "name", "email", "prefecture", "message", "sender", "recipient", "owner", "story", "iso",
        "focalLength", "exposureValue", "lensAperture", "exposureDuration", "flash", "likes", "seen", "date",
    ]
    private static let trailing = ["stream", "version", "position", "time", "p50us", "p99us", "p999us"]
    /// How many columns of the terminal one cell takes at most.
    private static let widestCell = 40

    /// A line of headings and one for each row.
    static func lines(_ rows: [JSONText]) -> [String] {
        let objects = rows.map(\.members)
        let columns = ordered(Set(objects.flatMap(\.keys)))
        let cells = objects.map { object in
            columns.map { Shown.cut(object[$0]?.shown ?? "", to: widestCell) }
        }
        let widths = columns.indices.map { index in
            max(Shown.width(columns[index]), cells.map { Shown.width($0[index]) }.max() ?? 0)
        }
        return ([columns] + cells).map { joined($0, widths) }
    }

    /// A line for each member, nested ones indented under their name.
    static func lines(object: JSONText) -> [String] {
        var lines: [String] = []
        // A list of work instead of recursion: how deep an answer nests is not for this program to say.
        var work: [(name: String, value: JSONText, depth: Int)] = [("", object, -1)]
        while let (name, value, depth) = work.popLast() {
            let indent = String(repeating: "  ", count: max(depth, 0))
            guard value.isNested, depth < 8 else {
                lines.append("\(indent)\(padded(name, to: 18 - indent.count))  \(value.shown)")
                continue
            }
            if depth >= 0 { lines.append("\(indent)\(name)") }
            work.append(contentsOf: children(value).reversed().map { ($0.0, $0.1, depth + 1) })
        }
        return lines
    }

    private static func children(_ value: JSONText) -> [(String, JSONText)] {
        switch value {
        case .object(let members):
            ordered(Set(members.keys)).compactMap { name in members[name].map { (Shown.safe(name), $0) } }
        case .list(let values): values.enumerated().map { ("\($0.offset + 1)", $0.element) }
        case .null, .flag, .whole, .number, .text: []
        }
    }

    private static func ordered(_ names: Set<String>) -> [String] {
        let others = names.subtracting(leading).subtracting(trailing).sorted()
        return leading.filter(names.contains) + others + trailing.filter(names.contains)
    }

    private static func joined(_ cells: [String], _ widths: [Int]) -> String {
        var line = zip(cells, widths).map { padded($0, to: $1) }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - Shown.width(text), 0))
    }
}
