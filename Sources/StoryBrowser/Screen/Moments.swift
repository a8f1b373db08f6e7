package import FoundationEssentials

/// Dates as people read and write them here: in UTC.
package enum Moments {
    private static let shown = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false)

    /// `2026-11-20 12:34:56`, which takes 19 columns.
    package static func shown(_ date: Date) -> String { date.formatted(shown) }

    /// The same with the zone that it is in, for where no heading says it.
    static func told(_ date: Date) -> String { "\(shown(date)) UTC" }

    /// A date to the millisecond, as it can be typed.
    static func written(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
