/// The functions and the arithmetic of the language.
enum PlainFunctions {
    static func arithmetic(_ mark: String, _ left: PlainValue, _ right: PlainValue) -> PlainValue {
        var (left, right) = (left, right)
        if Planted.is(.missingIsZero) {
            if left == .no(.missing) { left = .whole(0) }
            if right == .no(.missing) { right = .whole(0) }
        }
        if let missing = PlainModel.bad(left, right) { return missing }
        switch (mark, left, right) {
        case ("+", .text(let left), .text(let right)): return long(left + right)
        case ("+", .number(let left), .number(let right)): return .number(left + right)
        case ("-", .number(let left), .number(let right)): return .number(left - right)
        case ("*", .number(let left), .number(let right)): return .number(left * right)
        case ("/", .number(let left), .number(let right)): return .number(left / right)
        default: return .no(.wrongType)
        }
    }

    private static func long(_ text: [UInt8]) -> PlainValue {
        text.count > PlainLimits.text ? .no(.tooLong) : .text(text)
    }

    static func call(_ name: String, _ values: [PlainValue]) -> PlainValue {
        if name == "min" || name == "max" { return best(name == "min" ? -1 : 1, values) }
        if name == "seconds" { return seconds(values[0], values[1]) }
        if let missing = PlainModel.bad(values[0]) { return missing }
        let value = values[0]
        switch (name, value) {
        case ("lower", .text(let text)):
            return letters(text, UInt8(ascii: "A")...UInt8(ascii: "Z")) { $0 + 32 }
        case ("upper", .text(let text)):
            return letters(text, UInt8(ascii: "a")...UInt8(ascii: "z")) { $0 - 32 }
        case ("prefix", .text(let text)): return prefix(text, index(values[1]) ?? 0)
        case ("text", _): return value.asText
        case ("number", .text(let text)): return number(text)
        case ("number", .number), ("round", .number), ("floor", .number), ("count", _): return numeric(name, values)
        case ("year", _): return part(value, 4, values)
        case ("month", _): return part(value, 7, values)
        case ("day", _): return part(value, 10, values)
        case ("hour", _): return part(value, 13, values)
        default: return .no(.wrongType)
        }
    }

    private static func numeric(_ name: String, _ values: [PlainValue]) -> PlainValue {
        switch (name, values[0]) {
        case ("number", _): values[0]
        case ("round", .number(let number)):
            .number(number.rounded(digits: values.count > 1 ? index(values[1]) ?? 0 : 0))
        case ("floor", .number(let number)): .number(number.floor)
        case ("count", .text(let text)):
            .whole(
                Planted.is(.countCountsBytes)
                    ? text.count : String(decoding: text, as: UTF8.self).unicodeScalars.count)
        case ("count", .list(let elements)):
            .whole(Planted.is(.absentElementsCount) ? elements.count { $0 != .null } : elements.count)
        case ("count", .map(let members)): .whole(members.count)
        default: .no(.wrongType)
        }
    }

    private static func index(_ value: PlainValue) -> Int? {
        if case .number(let number) = value { number.index } else { nil }
    }

    private static func letters(
        _ text: [UInt8], _ range: ClosedRange<UInt8>, _ other: (UInt8) -> UInt8
    ) -> PlainValue { long(text.map { range.contains($0) ? other($0) : $0 }) }

    private static func prefix(_ text: [UInt8], _ count: Int) -> PlainValue {
        if Planted.is(.prefixCountsBytes) { return .text(Array(text.prefix(count))) }
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.prefix(count)
        return .text(Array(String(String.UnicodeScalarView(scalars)).utf8))
    }

    private static func number(_ text: [UInt8]) -> PlainValue {
        switch PlainNumber.read(text) {
        case .number(let number): .number(number)
        case .outOfRange: .no(.outOfRange)
        case .none: .no(.wrongType)
        }
    }

    /// A value as a time, where it is one or its text.
    private static func dated(_ value: PlainValue) -> PlainValue {
        if let missing = PlainModel.bad(value) { return missing }
        switch value {
        case .text(let text): return PlainTime.read(text).map { .time($0) } ?? .no(.malformed)
        case .time: return value
        default: return .no(.wrongType)
        }
    }

    private static func part(_ value: PlainValue, _ count: Int, _ values: [PlainValue]) -> PlainValue {
        guard case .time(var time) = dated(value) else { return dated(value) }
        if values.count > 1, case .text(let offset) = values[1], !Planted.is(.offsetsAreIgnored) {
            let digits = offset.map { Int64($0) - 48 }
            let minutes = (digits[1] * 10 + digits[2]) * 60 + digits[4] * 10 + digits[5]
            time += (offset[0] == UInt8(ascii: "-") ? -1 : 1) * minutes * 60_000
        }
        guard (PlainTime.earliest...PlainTime.latest).contains(time) else { return .no(.outOfRange) }
        return .text(String(PlainTime.text(time).prefix(count)))
    }

    private static func seconds(_ from: PlainValue, _ to: PlainValue) -> PlainValue {
        let (from, to) = (dated(from), dated(to))
        guard case .time(let begin) = from, case .time(let end) = to else { return PlainModel.bad(from, to) ?? .null }
        return .number(PlainNumber(Int(end - begin)) / PlainNumber(1_000))
    }

    /// The least or the greatest of those that are there.
    private static func best(_ sign: Int, _ values: [PlainValue]) -> PlainValue {
        var there = values.filter { $0 != .no(.missing) && $0 != .no(.none) }
        let isOfTimes = there.contains { if case .time = $0 { true } else { false } }
        if isOfTimes { there = there.map { $0.reason == nil ? dated($0) : $0 } }
        if let missing = PlainModel.bad(there) { return missing }
        guard var best = there.first else { return .no(.missing) }
        let kinds = Set(there.map(kind))
        guard kinds.count == 1, !kinds.contains(0) else { return .no(.wrongType) }
        for value in there.dropFirst() where PlainValue.order(value, best) == sign { best = value }
        return best
    }

    /// The kinds that are compared with their like; 0 for the others.
    private static func kind(_ value: PlainValue) -> Int {
        switch value {
        case .number: 1
        case .text: 2
        case .time: 3
        default: 0
        }
    }
}
