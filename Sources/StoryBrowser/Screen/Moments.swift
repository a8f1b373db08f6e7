package import FoundationEssentials

/// Dates as people read and write them here: in UTC.
package enum Moments {
    private static let shown = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)

    /// `2026-11-20 12:34:56`, which takes 19 columns.
    package static func shown(_ date: Date) -> String { date.formatted(shown) }

    /// The same with the zone that it is in, for where no heading says it.
    static func told(_ date: Date) -> String { "\(shown(date)) UTC" }

    /// A date to the millisecond, as `read` reads it.
    static func written(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The moment that a text names: `2026-11-20`, or RFC 3339; nil where it names none.
    package static func read(_ text: String) -> Date? {
        let whole = text.count == 10 ? text + "T00:00:00Z" : text
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        return styles.lazy.compactMap { try? $0.parse(whole) }.first
    }
}
