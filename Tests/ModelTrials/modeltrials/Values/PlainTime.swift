/// RFC 3339 times as milliseconds since 1970, slowly.
enum PlainTime {
    static let earliest: Int64 = -62_167_219_200_000
    static let latest: Int64 = 253_402_300_799_999

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year * 365 + floor(year, 4) - floor(year, 100) + floor(year, 400) + ofYear - 719_468
    }

    private static func floor(_ left: Int64, _ right: Int64) -> Int64 {
        left >= 0 ? left / right : -((-left + right - 1) / right)
    }

    private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func lastDay(_ year: Int64, _ month: Int64) -> Int64 {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Takes so many digits.
    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.count == count, isNumber else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func mark(_ rest: inout ArraySlice<UInt8>, _ marks: String) -> Character? {
        guard let first = rest.first.map({ Character(Unicode.Scalar($0)) }), marks.contains(first) else { return nil }
        rest.removeFirst()
        return first
    }

    /// Reads a time; nil where the text is none.
    static func read(_ text: [UInt8]) -> Int64? {
        var rest = text[...]
        guard let year = number(&rest, 4), mark(&rest, "-") != nil, let month = number(&rest, 2),
            mark(&rest, "-") != nil, let day = number(&rest, 2), mark(&rest, "Tt ") != nil,
            let hour = number(&rest, 2), mark(&rest, ":") != nil, let minute = number(&rest, 2),
            mark(&rest, ":") != nil, let second = number(&rest, 2)
        else { return nil }
        var behind: [Int64] = []
        if mark(&rest, ".") != nil {
            while let digit = number(&rest, 1) { behind.append(digit) }
            guard !behind.isEmpty else { return nil }
        }
        guard let east = offset(&rest), (1...12).contains(month), day >= 1, day <= lastDay(year, month), hour <= 23,
            minute <= 59, second <= (Planted.is(.leapSecondsAreRefused) ? 59 : 60)
        else { return nil }
        var thousandths = (behind + [0, 0, 0]).prefix(3).reduce(0) { $0 * 10 + $1 }
        if Planted.is(.thousandthsAreRounded), behind.count > 3, behind[3] >= 5 { thousandths += 1 }
        let within = second == 60 ? 59_999 : second * 1_000 + thousandths
        let value = days(year, month, day) * 86_400_000 + (hour * 60 + minute - east) * 60_000 + within
        return (earliest...latest).contains(value) ? value : nil
    }

    /// Takes the offset, in minutes.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if mark(&rest, "Zz") != nil { return rest.isEmpty ? 0 : nil }
        guard let sign = mark(&rest, "+-"), let hours = number(&rest, 2), mark(&rest, ":") != nil,
            let minutes = number(&rest, 2), rest.isEmpty, hours <= 23, minutes <= 59
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 60 + minutes)
    }

    /// The text of a time, in UTC with milliseconds.
    static func text(_ milliseconds: Int64) -> String {
        let day = floor(milliseconds, 86_400_000)
        let rest = milliseconds - day * 86_400_000
        var year: Int64 = 0
        // Years are counted up: slow, and obvious.
        while days(year + 100, 1, 1) <= day { year += 100 }
        while days(year + 1, 1, 1) <= day { year += 1 }
        var month: Int64 = 1
        while month < 12, days(year, month + 1, 1) <= day { month += 1 }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day - days(year, month, 1) + 1, 2))"
        let time = "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1_000 % 60, 2))"
        return "\(date)T\(time).\(padded(rest % 1_000, 3))Z"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
