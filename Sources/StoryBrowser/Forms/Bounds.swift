import StoryClient

import struct FoundationEssentials.Date

extension ContentFilter {
    /// Returns the filter narrowed to rows from `since` on and before `until`.
    func bounded(since: Date?, until: Date?) -> Self {
        var filter = self
        filter.since = [filter.since, since].compactMap(\.self).max()
        filter.until = [filter.until, until].compactMap(\.self).min()
        return filter
    }
}

extension Draft {
    /// Returns the form with two more fields, for the bounds of a date.
    func bounds(_ since: Date?, _ until: Date?) -> Draft {
        with("since", "since (date)", since.map(Moments.written) ?? "")
            .with("until", "until (date)", until.map(Moments.written) ?? "")
    }
}

extension DraftReader {
    /// Reads a field as a date.
    ///
    /// - Parameter now: the moment that ages are counted back from.
    mutating func moment(_ name: String, _ now: Date) -> Date? {
        value(name, "a date, such as \(TypedMoment.examples)") { TypedMoment.read($0, now: now) }
    }

    mutating func id(_ name: String) -> String? {
        value(name, "an ID: letters, digits and . _ ~ -") { ContentID($0)?.text }
    }
}
