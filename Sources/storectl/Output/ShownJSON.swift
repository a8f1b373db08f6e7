import StoryBrowser
import StoryWire

/// A JSON value for display: as it was spelled, but safe for a terminal.
struct ShownJSON {
    private let value: JSONValue

    /// Parses the bytes; nil when they are not JSON.
    init?(_ bytes: [UInt8]) {
        guard let value = JSONValue(bytes) else { return nil }
        self.value = value
    }

    private init(_ value: JSONValue) { self.value = value }

    /// The members of an object in their order, or the elements of a list by their numbers; none for other values.
    var fields: [(name: String, value: ShownJSON)] {
        value.members.enumerated().map { index, member in
            (value.kind == .list ? String(index + 1) : member.name, ShownJSON(member.value))
        }
    }

    /// The members of an object by name; none for other values.
    var members: [String: ShownJSON] {
        guard value.kind == .object else { return [:] }
        return Dictionary(fields, uniquingKeysWith: { first, _ in first })
    }

    var isObject: Bool { value.kind == .object }
    var isNested: Bool { value.kind == .list || value.kind == .object }
    var isTrue: Bool { value.kind == .flag && value.json == "true" }
    var isFalse: Bool { value.kind == .flag && value.json == "false" }

    /// The characters of a text; nil for other values.
    var text: String? { value.kind == .text ? value.text : nil }
    /// The whole number; nil for other values.
    var whole: UInt64? { value.kind == .number ? UInt64(value.json) : nil }

    /// The value on one line: text bare, the rest as JSON.
    var shown: String { Shown.safe(value.text) }
    /// The value as JSON, as it was spelled.
    var json: String { Shown.safe(value.json) }
    /// A text's characters, or the value as JSON, for a file.
    var plain: String { value.text }
}
