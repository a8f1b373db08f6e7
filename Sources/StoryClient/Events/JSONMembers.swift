/// The members of a JSON object, with the raw bytes of their values; nested values are not parsed.
struct JSONMembers {
    private let bytes: [UInt8]
    private var ranges: [String: Range<Int>] = [:]
    /// The name of the first member; empty where there is none.
    private(set) var first = ""

    /// Finds the members; nil when this is not an object. Values are not checked before they are read.
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

    /// Returns a member that is a whole number without a sign; nil where there is none.
    func number(_ name: String) -> UInt64? {
        self[name].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns a member that is a string; nil where there is none.
    func text(_ name: String) -> String? {
        guard let value = self[name], value.count >= 2, value.first == 0x22 else { return nil }
        guard value.contains(0x5C) else {
            return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? StoreDecoder.decode(String.self, Array(value))
    }

    /// Returns a member as JSON; nil where there is none.
    func json(_ name: String) -> JSONText? {
        self[name].map { JSONText(trusted: String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the end of a value without the white space behind it.
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

    /// Returns the index behind the string whose opening quote is at `start`; nil if it has no end.
    private static func endOfString(_ json: [UInt8], _ start: Int) -> Int? {
        var index = start + 1
        while index < json.count {
            if json[index] == 0x22 { return index + 1 }
            index += json[index] == 0x5C ? 2 : 1
        }
        return nil
    }

    /// Returns the index behind the value that begins at `start`, of a comma or a closing bracket; nil if it has no
    /// end.
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
