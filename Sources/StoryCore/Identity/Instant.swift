/// A moment in UTC, to the millisecond, from year 0000 to 9999.
///
/// Text is RFC 3339: `2026-11-20T12:34:56.789Z`; any offset is read, UTC is written.
@usableFromInline
package struct Instant: BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The milliseconds of 0000-01-01T00:00:00.000Z … 9999-12-31T23:59:59.999Z.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds since 1970-01-01T00:00:00Z.
    @usableFromInline package let milliseconds: Int64

    /// Creates a moment, clamped to the range, so that a broken clock cannot make a date without a text.
    @usableFromInline package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Instant.range.lowerBound), Instant.range.upperBound)
    }

    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}

extension Instant {
    /// The number of bytes that `append(to:)` writes.
    @inlinable package static var textCount: Int { 24 }

    /// The result of parsing a date.
    package enum Reading: Equatable, Sendable {
        case instant(Instant)
        /// A date that is before year 0000 or after year 9999 in UTC.
        case outOfRange
        case malformed
    }

    /// Parses RFC 3339 with any offset; digits past the millisecond are cut off.
    package static func read(_ text: some Collection<UInt8>) -> Reading {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.take(0x2D), let month = reader.number(2), reader.take(0x2D),
            let day = reader.number(2), reader.take(anyOf: [0x54, 0x74, 0x20]),
            let hour = reader.number(2), reader.take(0x3A), let minute = reader.number(2), reader.take(0x3A),
            let second = reader.number(2), (1...12).contains(month), day >= 1,
            day <= Instant.days(inMonth: month, of: year), hour < 24, minute < 60, second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return .malformed }
        let minutes = Instant.days(year: year, month: month, day: day) * 1_440 + hour * 60 + minute - offset
        guard second < 60 || Instant.endsMonth(minutes) else { return .malformed }
        // A leap second has no number of its own in Unix time: it is the last millisecond before the next minute.
        let value = minutes * 60_000 + (second == 60 ? 59_999 : second * 1_000 + fraction)
        return Instant.range.contains(value) ? .instant(Instant(milliseconds: value)) : .outOfRange
    }

    /// Returns true for the last minute of a month, the only one that may have a leap second; counted since 1970 in
    /// UTC.
    private static func endsMonth(_ minute: Int64) -> Bool {
        let firstDay = range.lowerBound / 86_400_000
        let nextDay = (minute + 1).dividedFloor(by: 1_440)
        guard nextDay * 1_440 == minute + 1, let day = UInt32(exactly: nextDay - firstDay) else { return false }
        return date(day).day == 1
    }

    /// Parses a date; nil when the bytes are malformed or out of range.
    package init?(_ text: some Collection<UInt8>) {
        guard case .instant(let instant) = Instant.read(text) else { return nil }
        self = instant
    }

    /// Parses a date; nil when the text is malformed or out of range.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Parses a date in a request line or a record; specialized for raw bytes, since replay parses a date on each
    /// event.
    package init?(utf8 text: UnsafeRawBufferPointer) { self.init(text) }

    /// Parses RFC 3339 in raw bytes.
    package static func read(utf8 text: UnsafeRawBufferPointer) -> Reading { read(text) }

    /// The range of dates in words, for errors.
    package static let calendar = "from 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"

    /// Writes `2026-11-20T12:34:56.789Z` to memory that has room for `textCount` bytes.
    package func write(to text: UnsafeMutablePointer<UInt8>) {
        let sinceYearZero = UInt64(milliseconds - Instant.range.lowerBound)
        let days = UInt32(sinceYearZero / 86_400_000)
        let time = UInt32(sinceYearZero - UInt64(days) * 86_400_000)
        let (year, month, day) = Instant.date(days)
        text.setTwoDigits(0, year / 100)
        text.setTwoDigits(2, year % 100)
        text[4] = 0x2D
        text.setTwoDigits(5, month)
        text[7] = 0x2D
        text.setTwoDigits(8, day)
        text[10] = 0x54
        text.setTwoDigits(11, time / 3_600_000)
        text[13] = 0x3A
        text.setTwoDigits(14, time / 60_000 % 60)
        text[16] = 0x3A
        text.setTwoDigits(17, time / 1_000 % 60)
        text[19] = 0x2E
        text[20] = UInt8(truncatingIfNeeded: 0x30 + time / 100 % 10)
        text.setTwoDigits(21, time % 100)
        text[23] = 0x5A
    }

    /// The moment as text: `2026-11-20T12:34:56.789Z`.
    package var text: String {
        String(unsafeUninitializedCapacity: Instant.textCount) { text in
            if let start = text.baseAddress { write(to: start) }
            return Instant.textCount
        }
    }

    /// Returns the number of days of a month.
    static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01 of a date of the proleptic Gregorian calendar (March is the year's first month
    /// here).
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedFloor(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the date of a number of days since 0000-01-01. Each event has two dates, and 32-bit divisions by
    /// constants are fast.
    static func date(_ days: UInt32) -> (year: UInt32, month: UInt32, day: UInt32) {
        // Years begin in March here, and those before year 0 are in the first era.
        let shifted = days + 146_097 - 60
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0) - 400
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// Reads the fixed-width numbers of a date, left to right.
private struct DigitReader<Bytes: Collection<UInt8>> {
    private let bytes: Bytes
    private var index: Bytes.Index

    init(_ bytes: Bytes) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    /// Reads a number of the given number of digits; nil when there are fewer.
    mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads one byte; returns false when the next byte is another one.
    mutating func take(_ byte: UInt8) -> Bool { take(anyOf: [byte]) }

    /// Reads one of several bytes; returns false when the next byte is none of them.
    mutating func take(anyOf choices: [UInt8]) -> Bool {
        guard index < bytes.endIndex, choices.contains(bytes[index]) else { return false }
        index = bytes.index(after: index)
        return true
    }

    /// Reads the milliseconds after an optional point; nil when a point has no digit.
    mutating func fraction() -> Int64? {
        guard take(0x2E) else { return 0 }
        guard var value = digit() else { return nil }
        var scale = 10
        while let next = digit() {
            if scale < 1_000 {
                value = value * 10 + next
                scale *= 10
            }
        }
        return value * Int64(1_000 / scale)
    }

    /// Reads the offset in minutes east of UTC; nil when there is none.
    mutating func offset() -> Int64? {
        if take(anyOf: [0x5A, 0x7A]) { return 0 }
        let isWest = index < bytes.endIndex && bytes[index] == 0x2D
        guard take(anyOf: [0x2B, 0x2D]), let hours = number(2), take(0x3A), let minutes = number(2),
            hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    private mutating func digit() -> Int64? {
        guard index < bytes.endIndex, (0x30...0x39).contains(bytes[index]) else { return nil }
        defer { index = bytes.index(after: index) }
        return Int64(bytes[index] - 0x30)
    }
}

extension Int64 {
    /// Returns the quotient rounded towards minus infinity.
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a number below 100 as two ASCII digits.
    @inlinable @inline(__always)
    package func setTwoDigits(_ index: Int, _ number: UInt32) {
        self[index] = UInt8(truncatingIfNeeded: 0x30 + number / 10)
        self[index + 1] = UInt8(truncatingIfNeeded: 0x30 + number % 10)
    }
}
