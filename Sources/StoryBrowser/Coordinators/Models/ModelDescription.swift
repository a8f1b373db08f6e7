import StoryClient

import struct FoundationEssentials.Decimal

/// A declared model, as `MODELS` describes it.
struct ModelDescription: BrowsedRow {
    /// A field of the model's rows.
    struct Field: Hashable, Sendable {
        let name: String
        /// The type as a definition spells it.
        let type: String

        /// The field as a column of a list.
        var shape: ColumnShape {
            let heading = type == "time" ? "\(name) (UTC)" : name
            return ColumnShape(heading: heading, member: name, width: width)
        }

        private var width: ColumnShape.Width {
            switch type {
            case "time": .date
            // A number that is cut would be taken for another one.
            case "number": .content(24)
            default: .content(8)
            }
        }
    }

    /// The ID of a row as a column of a list.
    static let idShape = ColumnShape(heading: "id", member: "id", width: .content(12))

    /// How far a definition is built.
    struct Build: Hashable, Sendable {
        let definition: Int64
        /// The event that it is folded up to.
        let position: Int64
        /// The last event of the log.
        let end: Int64
        /// The number of rows that it has taken over; nil if it folds events.
        let rowsTaken: Int64?

        /// The share of the events as `45 %`, rounded down; a part outside of the whole is none or all of it.
        var share: String {
            guard end > 0 else { return "0 %" }
            return "\(Int(Double(max(0, min(position, end))) / Double(end) * 100)) %"
        }

        /// The share, and the events; or the rows.
        var text: String {
            rowsTaken.map { "rows taken over: \($0)" } ?? "\(share), \(position) of \(end) events"
        }
    }

    let id: String
    /// The number of the definition that answers, or of the first one while that is built.
    let definition: Int64
    /// The state: `ready`, `building` or `failed`.
    let state: String
    let rows: Int64
    let misfits: Int64
    let bytes: Int64
    /// The progress of a definition that is being built.
    let build: Build?
    /// The reason why there is no definition that answers, or why one is not built.
    let reason: String?
    /// The text of the definition; empty in a list of models.
    let text: String
    let fields: [Field]
    let filters: [String]
    let sorts: [String]
    /// The parts of the text that the browser needs.
    let outline: ModelOutline?

    /// No event changes a description alone.
    var position: UInt64 { 0 }

    /// True if a definition answers.
    var isReady: Bool { state == "ready" }

    /// Creates a description from a line of `MODELS`; nil if that names no model.
    init?(_ line: JSONValue) {
        guard let name = line.model?.stringValue else { return nil }
        id = name
        definition = line.definition?.integerValue ?? 0
        state = line.state?.stringValue ?? ""
        rows = line.rows?.integerValue ?? 0
        misfits = line.misfits?.integerValue ?? 0
        bytes = line.bytes?.integerValue ?? 0
        build = line.building.map { build in
            Build(
                definition: build.definition?.integerValue ?? 0, position: build.position?.integerValue ?? 0,
                end: build["of"]?.integerValue ?? 0, rowsTaken: build.rows?.integerValue)
        }
        reason = line.reason?.stringValue
        text = line.text?.stringValue ?? ""
        fields = ModelDescription.elements(line.fields).compactMap { field in
            field.name?.stringValue.map { Field(name: $0, type: field.type?.stringValue ?? "") }
        }
        filters = ModelDescription.elements(line.filters).compactMap(\.stringValue)
        sorts = ModelDescription.elements(line.sorts).compactMap(\.stringValue)
        outline = ModelOutline(text)
    }

    private static func elements(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements) = value { elements } else { [] }
    }

    /// The state in a few words, with the share of a definition that is being built.
    var note: String {
        let progress = build.map { isReady ? ", definition \($0.definition) at \($0.share)" : " \($0.share)" } ?? ""
        return state + progress + (misfits == 0 ? "" : ", \(misfits) misfit\(misfits == 1 ? "" : "s")")
    }

    /// The state in one sentence.
    var sentence: String {
        switch (isReady, build, reason) {
        case (true, let build?, _): "definition \(build.definition) is being built: \(build.text)"
        case (true, nil, let reason?): "ready; \(reason)"
        case (true, nil, nil): "ready"
        case (false, let build?, _): "is being built: \(build.text)"
        case (false, nil, let reason?): "\(state): \(reason)"
        case (false, nil, nil): state
        }
    }
}

/// A value of a row of a declared model.
enum FieldValue: Hashable, Sendable, Decodable {
    case none
    case flag(Bool)
    case number(Decimal)
    case text(String)
    case list([FieldValue])
    case map([String: FieldValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .none
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let number = try? value.decode(Decimal.self) {
            self = .number(number)
        } else if let elements = try? value.decode([FieldValue].self) {
            self = .list(elements)
        } else {
            self = .map(try value.decode([String: FieldValue].self))
        }
    }

    /// The value on one line; the members of a map in the order of their keys' bytes.
    var shown: String {
        switch self {
        case .none: "–"
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .list(let elements): elements.map(\.shown).joined(separator: ", ")
        case .map(let members):
            members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { "\($0.key): \($0.value.shown)" }.joined(separator: ", ")
        }
    }
}

/// A row of a declared model.
struct ModelRow: BrowsedRow, Decodable {
    /// The parts of its key, percent-encoded, with `/` between them.
    let id: String
    /// The number of events that left it otherwise, since it was made.
    let changes: UInt64
    /// The position of the last of them.
    let position: UInt64
    /// The fields by their names; one without a value is not there.
    let values: [String: FieldValue]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        id = try members.decode(String.self, forKey: Name(stringValue: "id"))
        changes = try members.decode(UInt64.self, forKey: Name(stringValue: "changes"))
        position = try members.decode(UInt64.self, forKey: Name(stringValue: "position"))
        var values: [String: FieldValue] = [:]
        for name in members.allKeys where !["id", "changes", "position"].contains(name.stringValue) {
            values[name.stringValue] = try members.decode(FieldValue.self, forKey: name)
        }
        self.values = values
    }

    func text(_ field: String) -> String { values[field]?.shown ?? "–" }
}
