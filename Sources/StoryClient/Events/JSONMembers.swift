/// The members of one JSON object with the bytes of their values as they stand. It looks no deeper than it must.
struct JSONMembers {
    private let bytes: [UInt8]
    private var ranges: [String: Range<Int>] = [:]
    /// The name of the first member; empty where there is none.
    private(set) var first = ""

    /// Nil when this is not an object. Values are not checked: whoever reads one does that.
    init?(_ json: [UInt8]) {
        bytes = json
        var index = JSONMembers.skipSpace(json, 0)
        guard index < json.count, json[index] == 0x7B else { return nil }
        index = JSONMembers.skipSpace(json, index + 1)
        while index < json.count, json[index] != 0x7D {
            guard json[index] == 0x22, let end = JSONMembers.endOfString(json, index) else { return nil }
            let name = String(decoding: json[(index + 1)..<(end - 1)], as: UTF8.self)
            index = JSONMembers.skipSpace(json, end)
            guard index < json.count, json[index] == 0x3A else { return nil }
            let start = JSONMembers.skipSpace(json, index + 1)
            guard let stop = JSONMembers.endOfValue(json, start), stop > start else { return nil }
            if ranges.isEmpty { first = name }
            ranges[name] = start..<endOfText(start, stop)
            index = JSONMembers.skipSpace(json, stop)
            if index < json.count, json[index] == 0x2C { index = JSONMembers.skipSpace(json, index + 1) }
        }
        guard index < json.count else { return nil }
    }

    /// The bytes of a value; nil where there is none.
    subscript(name: String) -> ArraySlice<UInt8>? { ranges[name].map { bytes[$0] } }

    /// A whole number without a sign.
    func number(_ name: String) -> UInt64? {
        self[name].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// A text.
    func text(_ name: String) -> String? {
        guard let value = self[name], value.count >= 2, value.first == 0x22 else { return nil }
        guard value.contains(0x5C) else {
            return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? StoreDecoder.decode(String.self, Array(value))
    }

    /// A value as the JSON that it is.
    func json(_ name: String) -> JSONText? {
        self[name].map { JSONText(trusted: String(decoding: $0, as: UTF8.self)) }
    }

    /// A value's end without the white space behind it.
    private func endOfText(_ start: Int, _ stop: Int) -> Int {
        var end = stop
        while end > start, JSONMembers.isSpace(bytes[end - 1]) { end -= 1 }
        return end
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func skipSpace(_ json: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < json.count, isSpace(json[index]) { index += 1 }
        return index
    }

    /// Behind the string whose quote is here.
    private static func endOfString(_ json: [UInt8], _ start: Int) -> Int? {
        var index = start + 1
        while index < json.count {
            if json[index] == 0x22 { return index + 1 }
            index += json[index] == 0x5C ? 2 : 1
        }
        return nil
    }

    /// Behind the value that begins here: where the object goes on, or ends.
    private static func endOfValue(_ json: [UInt8], _ start: Int) -> Int? {
        var index = start
        var depth = 0
        while index < json.count {
            switch json[index] {
            case 0x22:
                guard let end = endOfString(json, index) else { return nil }
                index = end
                continue
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D:
                if depth == 0 { return index }
                depth -= 1
            case 0x2C: if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return nil
    }
}
