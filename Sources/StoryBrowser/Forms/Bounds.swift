import StoryClient

import struct FoundationEssentials.Date

extension ContentFilter {
    /// The same, but for what is earlier than one moment, and what is not earlier than another.
    func bounded(since: Date?, until: Date?) -> Self {
        var filter = self
        filter.since = [filter.since, since].compactMap(\.self).max()
        filter.until = [filter.until, until].compactMap(\.self).min()
        return filter
    }
}

extension Draft {
    /// The same form with the two bounds of a date.
    func bounds(_ since: Date?, _ until: Date?) -> Draft {
        with("since", "since (date)", since.map(Moments.written) ?? "")
            .with("until", "until (date)", until.map(Moments.written) ?? "")
    }
}

extension DraftReader {
    mutating func moment(_ name: String) -> Date? {
        value(name, "a date, such as 2026-11-20 or 2026-11-20T12:34:56Z") { Moments.read($0) }
    }

    mutating func id(_ name: String) -> String? {
        value(name, "an ID: letters, digits and . _ ~ -") { ContentID($0)?.text }
    }
}
