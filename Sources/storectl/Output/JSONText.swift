import Foundation

/// Any JSON value, read for showing it to a person.
enum JSONText: Decodable {
    case null
    case flag(Bool)
    case whole(Int64)
    case number(Double)
    case text(String)
    case list([JSONText])
    case object([String: JSONText])

    /// Nil when the bytes are no JSON.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(JSONText.self, from: Data(bytes)) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .whole(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONText].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONText].self))
        }
    }

    /// The members of an object; none for other values.
    var members: [String: JSONText] {
        if case .object(let members) = self { members } else { [:] }
    }

    var isNested: Bool {
        switch self {
        case .list, .object: true
        case .null, .flag, .whole, .number, .text: false
        }
    }

    /// The value on one line: text bare, the rest as JSON.
    var shown: String {
        switch self {
        case .text(let text): Shown.safe(text)
        case .null, .flag, .whole, .number, .list, .object: json
        }
    }

    /// The value as JSON, members in the order of their names.
    var json: String {
        switch self {
        case .null: "null"
        case .flag(let value): value ? "true" : "false"
        case .whole(let value): String(value)
        case .number(let value): value.description
        case .text(let text): JSONText.quoted(text)
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { JSONText.quoted($0.key) + ":" + $0.value.json }
                .joined(separator: ",") + "}"
        }
    }

    /// The text as a JSON string on one line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// True for what JSON calls a number.
    static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
    }
}
