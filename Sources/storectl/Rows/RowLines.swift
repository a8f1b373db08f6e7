import Glibc
import StoryClient

/// The writer of rows to standard output: as they came, as separated values, or as a table.
struct RowLines {
    /// The options for the format of rows.
    static let options = [
        Option("columns", "A,B", "only these, in this order"),
        Option("csv", nil, "comma-separated values (RFC 4180), with a line of names"),
        Option("tsv", nil, "tab-separated values, with a line of names; tab, LF and backslash are \\t, \\n and \\\\"),
    ]

    /// The format of the output.
    private enum Form {
        case json
        case separated(Separated)
        case table
    }

    private let output: Output
    private let form: Form
    /// The columns to write; empty when the kind is unknown here and the store will refuse it.
    private let columns: [Column]
    private var table: Table
    private(set) var count = 0

    /// Reads the options.
    ///
    /// - Parameter known: the available columns, in their order.
    init(_ invocation: Invocation, columns known: [Column]) throws(CommandError) {
        let arguments = invocation.arguments
        output = invocation.output
        let forms = ["json", "csv", "tsv"].filter(arguments.has)
        guard forms.count < 2 else { throw .usage("--\(forms[0]) and --\(forms[1]) exclude each other") }
        form =
            switch forms.first {
            case "json": .json
            case "csv": .separated(.commas)
            case "tsv": .separated(.tabs)
            default: .table
            }
        columns = try RowLines.chosen(arguments, among: known)
        guard forms.first != "json" || !arguments.has("columns") else {
            throw .usage("--json shows answers as they came: --json and --columns exclude each other")
        }
        table = Table(columns, limit: Terminal.width)
    }

    /// Writes the next rows.
    mutating func write(_ rows: [ReplyLine]) throws(CommandError) {
        let isFirst = count == 0
        count += rows.count
        switch form {
        case .json: for row in rows { try output.line(row.json) }
        case .separated(let separated):
            if isFirst, !rows.isEmpty { try writeNames(separated) }
            for row in cells(rows) { try output.line(separated.line(row)) }
        case .table: try writeTable(rows.compactMap { ShownJSON($0.json) })
        }
    }

    /// Writes the next rows of a table, as they are shown to a person.
    mutating func write(_ rows: [ShownJSON]) throws(CommandError) {
        count += rows.count
        try writeTable(rows)
    }

    private mutating func writeTable(_ rows: [ShownJSON]) throws(CommandError) {
        guard !rows.isEmpty else { return }
        let lines = table.lines(rows)
        if let heading = lines.heading { try output.heading(heading) }
        for line in lines.rows { try output.line(line) }
    }

    private func writeNames(_ separated: Separated) throws(CommandError) {
        try output.line(separated.line(columns.map(\.name)))
    }

    /// Ends the rows. If there were none, programs still get the line of names, and a terminal shows that there is
    /// nothing, which a person could take for a fault.
    func end() throws(CommandError) {
        if count == 0, case .separated(let separated) = form { try writeNames(separated) }
        if count == 0 { try output.tellNothing() }
        if let hint = table.hint { Output.complain(raw: hint) }
    }

    /// Returns the values of rows for a file, in the order of the columns; a missing member is empty.
    private func cells(_ rows: [ReplyLine]) -> [[String]] {
        rows.compactMap { ShownJSON($0.json)?.members }.map { members in
            columns.map { members[$0.name]?.plain ?? "" }
        }
    }

    private static func chosen(_ arguments: Arguments, among known: [Column]) throws(CommandError) -> [Column] {
        guard let list = arguments.value("columns") else { return known }
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !known.isEmpty else { return names.map { Column($0) } }
        var columns: [Column] = []
        for name in names {
            guard let column = known.first(where: { $0.name == name }) else {
                let names = known.map(\.name).joined(separator: ", ")
                throw .usage("there is no column \"\(name)\"; there are \(names)")
            }
            columns.append(column.chosen)
        }
        return columns
    }
}

/// The separators of values on a line for another program.
enum Separated {
    case commas
    case tabs

    func line(_ cells: [String]) -> String {
        switch self {
        case .commas: cells.map(Separated.quoted).joined(separator: ",")
        case .tabs: cells.map(Separated.escaped).joined(separator: "\t")
        }
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
        return "\"" + replaced(cell) { $0 == 0x22 ? "\"\"" : nil } + "\""
    }

    private static func escaped(_ cell: String) -> String {
        replaced(cell) { byte in
            switch byte {
            case 0x09: "\\t"
            case 0x0A: "\\n"
            case 0x0D: "\\r"
            case 0x5C: "\\\\"
            default: nil
            }
        }
    }

    /// Replaces single bytes, not characters: other programs have no characters of several scalars.
    private static func replaced(_ text: String, _ replacement: (UInt8) -> StaticString?) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if let new = replacement(byte) {
                new.withUTF8Buffer { bytes += $0 }
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
