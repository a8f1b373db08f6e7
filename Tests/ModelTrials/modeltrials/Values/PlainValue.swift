/// A value of the language, slowly; no value is one, too, with its reason.
indirect enum PlainValue: Equatable {
    /// A member of an object or a map.
    struct Member: Equatable {
        let key: [UInt8]
        let value: PlainValue
    }

    case no(PlainRule)
    case null
    case boolean(Bool)
    case number(PlainNumber)
    case time(Int64)
    case text([UInt8])
    case list([PlainValue])
    case map([Member])

    static func text(_ text: String) -> PlainValue { .text(Array(text.utf8)) }
    static func whole(_ number: Int) -> PlainValue { .number(PlainNumber(number)) }
    static func number(_ number: PlainNumber?) -> PlainValue { number.map { .number($0) } ?? .no(.outOfRange) }

    /// The reason for which there is no value; nil where there is one.
    var reason: PlainRule? { if case .no(let rule) = self { rule } else { nil } }
    var isTrue: Bool { self == .boolean(true) }

    /// A JSON value as a value.
    var lifted: PlainValue { self == .null ? .no(.missing) : self }

    /// The value as a text.
    var asText: PlainValue {
        switch self {
        case .no, .text: self
        case .boolean(let flag): .text(flag ? "true" : "false")
        case .time(let time): .text(PlainTime.text(time))
        case .number(let number): .text(number.text)
        case .null, .list, .map: .no(.wrongType)
        }
    }

    /// The value as a part of a key, or as the key of an entry of a map.
    func key(_ most: Int) -> [UInt8]? {
        guard case .text(let text) = asText, !text.isEmpty, text.count <= most else { return nil }
        return text
    }

    /// The bytes that count against the limit of a record.
    var size: Int {
        switch self {
        case .no, .null: 0
        case .boolean: 1
        case .number: 9
        case .time: 8
        case .text(let text): 2 + text.count
        case .list(let elements): elements.reduce(2) { $0 + $1.size }
        case .map(let members): members.reduce(2) { $0 + 2 + $1.key.count + $1.value.size }
        }
    }

    /// The order of two values; nil where they cannot be compared.
    static func order(_ left: PlainValue, _ right: PlainValue) -> Int? {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.time(let left), .time(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.boolean(let left), .boolean(let right)): (left ? 1 : 0) - (right ? 1 : 0)
        case (.text(let left), .text(let right)):
            left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
        case (.time, .text(let text)) where !Planted.is(.timesAreNoTexts):
            PlainTime.read(text).flatMap { order(left, .time($0)) }
        case (.text(let text), .time) where !Planted.is(.timesAreNoTexts):
            PlainTime.read(text).flatMap { order(.time($0), right) }
        default: nil
        }
    }

    // MARK: JSON

    var json: String {
        switch self {
        case .no, .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .number(let number): number.text
        case .time(let time): "\"\(PlainTime.text(time))\""
        case .text(let text): PlainValue.quoted(text)
        case .list(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .map(let members):
            "{" + members.map { PlainValue.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ text: [UInt8]) -> String {
        var out = "\""
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{8}": out += "\\b"
            case "\u{C}": out += "\\f"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// The ID of a row: its parts, percent-encoded.
    static func id(_ parts: [[UInt8]]) -> String {
        let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return parts.map { part in
            part.map { byte in
                plain.contains(byte)
                    ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16).uppercased()
            }.joined()
        }.joined(separator: "/")
    }
}

/// A reason for which there is no value, or for which an event does not fit.
enum PlainRule: String {
    case none, missing, wrongType, outOfRange, malformed, tooLong, full, key, tooMany, tooLarge
}
