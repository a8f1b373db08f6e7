import StoryCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON as text, on one line, kept byte for byte.
public struct JSONText: Hashable, Sendable, CustomStringConvertible {
    /// The text; it has no LF and no CR.
    public let text: String

    /// Creates JSON from text; ends of lines between its parts become spaces.
    ///
    /// - Throws: `ClientError.notEncodable` when it is not JSON.
    public init(_ text: String) throws(ClientError) {
        guard JSONGrammar.matches(text) else { throw .notEncodable("\(text.prefix(100)) is not JSON") }
        // Valid JSON has ends of lines between its parts only: inside a string they are escaped.
        let bytes = text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes a value as JSON; dates are RFC 3339 with milliseconds.
    ///
    /// - Throws: `ClientError.notEncodable`.
    public init(_ value: some Encodable) throws(ClientError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.rfc3339)
        }
        do {
            text = String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .notEncodable("\(error)")
        }
    }

    init(trusted text: String) { self.text = text }

    /// Creates an object of members, whose values are JSON.
    package init(quoting members: [(name: String, json: String)]) {
        text = "{" + members.map { "\(JSONText.quoted($0.name)):\($0.json)" }.joined(separator: ",") + "}"
    }

    public var description: String { text }

    /// Decodes a value from the JSON; dates are RFC 3339.
    ///
    /// - Throws: `ClientError.notUnderstood`.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(ClientError) -> Value {
        try StoreDecoder.decode(type, Array(text.utf8))
    }

    /// Returns a text as a JSON string on one line; control characters, which a terminal would act on, are escaped.
    package static func quoted(_ text: String) -> String {
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
}

/// A JSON value, for replies that have no type of their own.
@dynamicMemberLookup
public enum JSONValue: Hashable, Sendable, Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    /// A member of an object; nil where there is none.
    public subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    /// A member of an object; nil where there is none.
    public subscript(dynamicMember name: String) -> JSONValue? { self[name] }

    /// The integer; nil for other values.
    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The string; nil for other values.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
}

/// The decoder of the store's JSON into typed values.
enum StoreDecoder {
    /// Decodes a value.
    ///
    /// - Throws: `ClientError.notUnderstood` with the JSON.
    static func decode<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws(ClientError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(date)
        do {
            return try decoder.decode(type, from: Data(json))
        } catch {
            throw .notUnderstood(String(decoding: json.prefix(1_000), as: UTF8.self))
        }
    }

    /// Decodes an RFC 3339 date to the millisecond, since Foundation's own strategy accepts no fractions.
    @Sendable private static func date(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let instant = Instant(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no RFC 3339 date")
        }
        return Date(instant)
    }
}

extension Date {
    init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000) }

    /// The date as `2026-11-20T12:34:56.789Z`; one before year 0 or after 9999 becomes the first or the last moment.
    var rfc3339: String {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        let range = Instant.range
        guard milliseconds < Double(range.upperBound) else { return Instant(milliseconds: range.upperBound).text }
        return Instant(milliseconds: Int64(exactly: milliseconds) ?? range.lowerBound).text
    }
}
