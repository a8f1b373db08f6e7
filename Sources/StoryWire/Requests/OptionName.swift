import StoryCore

/// The name of a `name=value` part. The raw values number them without a gap, for sets of bits.
package enum OptionName: UInt8, CaseIterable, Sendable {
    case at, sort, order, limit, after, from, to, types, log
    case key, version, meta
    case sender, recipient, owner, story, between, prefecture, email, unseen, since, until

    package var name: String { OptionName.names[Int(rawValue)] }

    /// What stands after the `=` in HELP.
    package var placeholder: String {
        switch self {
        case .at: "P|TIME"
        case .sort: "KEY"
        case .order: "asc|desc"
        case .limit, .version, .prefecture: "N"
        case .after: "NEXT"
        case .from, .to: "P|TIME"
        case .types, .between: "A,B"
        case .key: "KEY"
        case .meta: "\"{…}\""
        case .log, .sender, .recipient, .owner, .story: "ID"
        case .email: "E"
        case .unseen: "true|false"
        case .since, .until: "TIME"
        }
    }

    package var summary: String {
        switch self {
        case .at: "as it was at a position or at an RFC 3339 time"
        case .sort: "what to sort by; SORTS lists it for each kind"
        case .order: "smallest or greatest first"
        case .limit: "at most so many"
        case .after: "go on after the page that ended with this next"
        case .from: "where to begin: a position, a version where one stream is read, or a time"
        case .to: "where to end: a position, a version where one stream is read, or a time"
        case .types: "only events of these types"
        case .log: "the history that the positions are of: the greeting's log"
        case .key: "makes the write happen once for ever"
        case .version: "the version that the stream must have now; 0: it must not exist"
        case .meta: "a JSON object that is kept with the event, in a JSON string"
        case .sender: "only those that this user sent"
        case .recipient: "only those that this user received"
        case .owner: "only those that this user owns"
        case .story: "only those about this story"
        case .between: "only those between these two users, either way"
        case .prefecture: "only users of this prefecture, 1–47"
        case .email: "only the user with this address, case ignored"
        case .unseen: "only those that were not yet seen, or only those that were"
        case .since: "only those with this date or a later one"
        case .until: "only those with an earlier date"
        }
    }

    var bit: UInt32 { 1 &<< UInt32(rawValue) }

    init(_ filter: FilterName) {
        switch filter {
        case .sender: self = .sender
        case .recipient: self = .recipient
        case .owner: self = .owner
        case .story: self = .story
        case .between: self = .between
        case .prefecture: self = .prefecture
        case .email: self = .email
        case .unseen: self = .unseen
        case .since: self = .since
        case .until: self = .until
        }
    }

    /// The option with this name; nil when there is none.
    static func find(_ name: UnsafeRawBufferPointer) -> OptionName? {
        guard let word = PackedName(name), let index = words.firstIndex(of: word) else { return nil }
        return allCases[index]
    }

    private static let names = [
        "at", "sort", "order", "limit", "after", "from", "to", "types", "log", "key", "version", "meta",
        "sender", "recipient", "owner", "story", "between", "prefecture", "email", "unseen", "since", "until",
    ]
    private static let words = names.map { PackedName($0) }
}

extension Kind {
    /// The filters of this kind as a set of bits.
    var filterBits: UInt32 { Kind.allFilterBits[schema.number] }

    /// By the kinds' numbers.
    private static let allFilterBits = allCases.map { kind in
        kind.filters.reduce(0) { $0 | OptionName($1).bit }
    }
}
