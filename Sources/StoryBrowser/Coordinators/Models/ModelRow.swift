import StoryClient

import struct FoundationEssentials.Decimal

/// A value of a field.
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
        } else if let number = try? value.decode(Double.self) {
            // A number that no decimal holds.
            self = .text("\(number)")
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

/// A row of a declared model or a built-in kind.
struct ModelRow: BrowsedRow, Decodable {
    /// The parts of its key, percent-encoded, with `/` between them.
    let id: String
    /// The number of events that left it otherwise, since it was made; nil of a built-in kind.
    let changes: UInt64?
    /// The version of its stream; nil of a declared model.
    let version: UInt64?
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
        changes = try members.decodeIfPresent(UInt64.self, forKey: Name(stringValue: "changes"))
        // A declared model may have a field of that name.
        version = changes == nil ? try members.decode(UInt64.self, forKey: Name(stringValue: "version")) : nil
        let others = ["id", changes == nil ? "version" : "changes", "position"]
        position = try members.decode(UInt64.self, forKey: Name(stringValue: "position"))
        var values: [String: FieldValue] = [:]
        for name in members.allKeys where !others.contains(name.stringValue) {
            values[name.stringValue] = try members.decode(FieldValue.self, forKey: name)
        }
        self.values = values
    }

    func text(_ field: String) -> String { values[field]?.shown ?? "–" }

    /// Returns the value of a field, or the ID, as a form or a filter has it; nil if there is none.
    func plain(_ field: String) -> String? {
        switch values[field] {
        case nil: field == "id" ? id : nil
        case FieldValue.none?: nil
        case .flag(let flag)?: "\(flag)"
        case let value?: value.shown
        }
    }
}
