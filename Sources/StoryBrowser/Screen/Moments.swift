package import FoundationEssentials

/// Formatting of dates for people, in UTC.
package enum Moments {
    private static let shown = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)

    /// Returns `2026-11-20 12:34:56`, which has 19 columns.
    package static func shown(_ date: Date) -> String { date.formatted(shown) }

    /// Returns the same with the zone, if no heading names it.
    static func told(_ date: Date) -> String { "\(shown(date)) UTC" }

    /// Returns a date to the millisecond, in a form that can be typed.
    static func written(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
