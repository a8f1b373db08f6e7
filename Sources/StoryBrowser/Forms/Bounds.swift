import StoryClient

import struct Foundation.Date

/// The moments that bound a list.
enum Bounds {
    /// The later of two, where there are two.
    static func later(_ one: Date?, _ other: Date?) -> Date? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    /// The earlier of two, where there are two.
    static func earlier(_ one: Date?, _ other: Date?) -> Date? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
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
