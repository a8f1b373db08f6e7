import StoryCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A moment as people type it: a date of UTC, RFC 3339, an age such as `1h`, or a word.
package enum TypedMoment {
    /// Examples of texts that may be typed, for help and errors.
    package static let examples = "2026-11-20, 2026-11-20T12:34:56Z, 1h (ago) or yesterday"

    private static let millisecondsOfUnit: [Character: Int64] = [
        "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
    ]
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Returns the moment that a text names; nil where it names none, or one out of the calendar.
    ///
    /// - Parameter now: the moment that ages are counted back from.
    package static func read(_ text: String, now: Date) -> Date? {
        let text = text.lowercased()
        if let instant = Instant(text) ?? instant(ofDate: text) { return Date(instant) }
        let now = now.rfc3339
        guard let today = instant(ofDate: String(now.prefix(10)))?.milliseconds, let now = Instant(now)?.milliseconds
        else { return nil }
        switch text {
        case "now": return date(now)
        case "today": return date(today)
        case "yesterday": return date(today - millisecondsPerDay)
        case "tomorrow": return date(today + millisecondsPerDay)
        default: return age(text).flatMap { date(now - $0) }
        }
    }

    /// Returns the moment as the protocol spells it; nil where the text names none. RFC 3339 stays as it was typed,
    /// also where it is out of the calendar.
    package static func rfc3339(_ text: String, now: Date) -> String? {
        if Instant.read(text.utf8) != .malformed { return text }
        return read(text, now: now)?.rfc3339
    }

    /// Parses a date, alone or with a time without an offset, in UTC.
    private static func instant(ofDate text: String) -> Instant? {
        switch text.utf8.count {
        case 10: Instant(text + "t00:00:00z")
        case 16: Instant(text + ":00z")
        default: Instant(text + "z")
        }
    }

    /// Returns the milliseconds of numbers with units, `1h30m`; nil for other texts.
    private static func age(_ text: String) -> Int64? {
        var rest = text.hasSuffix(" ago") ? text.dropLast(4) : text[...]
        var sum: Int64 = 0
        repeat {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            guard let number = Int64(digits), let unit = rest.popFirst().flatMap({ millisecondsOfUnit[$0] }) else {
                return nil
            }
            let (product, isTooLong) = number.multipliedReportingOverflow(by: unit)
            guard !isTooLong, product <= Instant.range.upperBound - sum else { return nil }
            sum += product
        } while !rest.isEmpty
        return sum
    }

    private static func date(_ milliseconds: Int64) -> Date? {
        Instant.range.contains(milliseconds) ? Date(Instant(milliseconds: milliseconds)) : nil
    }
}

/// A yes or no as people type it.
package enum TypedFlag {
    /// Returns true for `yes` and `true`, false for `no` and `false`, in small letters or capitals; nil for other
    /// texts.
    package static func read(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true": true
        case "no", "false": false
        default: nil
        }
    }
}
