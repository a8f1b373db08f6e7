import struct FoundationEssentials.Decimal

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
