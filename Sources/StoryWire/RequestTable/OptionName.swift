package import StoryCore

/// The name of a `name=value` part that is no filter. The raw values have no gaps, so that they index bits.
package enum OptionName: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case at, sort, order, limit, after, from, to, types, tags, log
    case key, version, meta, check, min, query, unless, reason, expect, dry
    case cursor, delay, park, error, scope, labels, share, wait, words

    /// The name, as in a request line.
    package var name: String { OptionName.names[Int(rawValue)] }

    /// The placeholder after the `=` in HELP.
    package var placeholder: String {
        switch self {
        case .at: "P|TIME"
        case .sort: "KEY"
        case .order: "asc|desc"
        case .limit, .version, .expect, .share: "N"
        case .after: "NEXT"
        case .from, .to: "P|TIME"
        case .types, .tags: "A,B"
        case .key: "KEY"
        case .meta, .query: "{…}"
        case .unless: "{…}|[{…},…]"
        case .log: "ID"
        case .check, .dry, .park, .wait: "true|false"
        case .reason, .error: "\"TEXT\""
        case .words: "\"WORD -WORD WOR*\""
        case .cursor: "NAME@P"
        case .delay: "MS"
        case .min: "P|now"
        case .scope: ErasureScope.allCases.map(\.rawValue).joined(separator: "|")
        case .labels: ErasureLabels.allCases.map(\.rawValue).joined(separator: "|")
        }
    }

    /// The description in HELP.
    package var summary: String {
        switch self {
        case .at: "as it was at a position or at an RFC 3339 time"
        case .sort: "the sort key: SORTS lists those of a kind, and FIND has rank"
        case .order: "smallest or greatest first"
        case .limit: "the greatest number of rows, events, streams, types or erasures"
        case .after: "continues after the page that ended with this next"
        case .from: "the start: a position, a version where one stream is read, or a time"
        case .to: "the end: a position, a version where one stream is read, or a time"
        case .types: "only events of these types"
        case .tags: "only events with all of these tags"
        case .log: "the history that the positions are of: the greeting's log"
        case .key: "makes the write happen once for ever"
        case .version: "the version that the stream must have now; 0: it must not exist"
        case .meta: "a JSON object that is kept with the event"
        case .check: "a dry run: shows the rows that would differ, and writes nothing"
        case .query: "only events of a query: a JSON object with tags, types and a stream, or with any of several such"
        case .unless: "fails with a conflict if an event of the query came after the position \"after\"; as query="
        case .reason:
            "why, in at most \(EraseRequest.mostReason) characters that do not name the person: it stays for ever"
        case .expect: "refused unless N events are taken"
        case .dry: "shows what would be taken, and erases nothing"
        case .cursor: "makes this event of a cursor that the connection holds done, in one commit with the write"
        case .delay: "the time before the event comes again, in milliseconds; without it one that grows"
        case .park: "sets the event aside at once"
        case .error: "why, in at most \(ParkedEvent.mostError) characters, for PARKED"
        case .scope: "profile: the user alone; own: and all that the user sent or owns; all: and all that the user got"
        case .labels: "keep: keys and tags stay; drop: they go as well"
        case .share: "this share of the cursor; without it any that nobody holds"
        case .wait: "waits for a share where none is free"
        case .words: "all of these words; -word: not that one; wor*: its beginning; in quotes: one after the other"
        case .min: "waits until the store has this event; now: all that was acknowledged before"
        }
    }

    /// Returns the placeholder after the `=` in HELP of a verb: that of a reset names no time.
    package func placeholder(of verb: Verb) -> String {
        self == .to && verb == .write(.reset) ? "P|start|end" : placeholder
    }

    /// Returns the description in HELP of a verb.
    package func summary(of verb: Verb) -> String {
        self == .to && verb == .write(.reset)
            ? "the last position that is done then; start: none; end: all that is durable" : summary
    }

    var bit: UInt32 { 1 &<< UInt32(rawValue) }

    /// Returns the option with this name; nil if there is none.
    static func find(_ name: UnsafeRawBufferPointer) -> OptionName? {
        table.find(name).flatMap { OptionName(rawValue: UInt8($0)) }
    }

    private static let names = [
        "at", "sort", "order", "limit", "after", "from", "to", "types", "tags", "log", "key", "version",
        "meta", "check", "min", "query", "unless", "reason", "expect", "dry",
        "cursor", "delay", "park", "error", "scope", "labels", "share", "wait", "words",
    ]
    private static let table = NameTable(names)
}

/// The names of the parts that a request line had, without their values: the program's own names, never the client's
/// text.
package struct GivenNames: Equatable, Sendable {
    /// The kind of the target; nil if it has none.
    package let kind: Kind?
    /// A bit for each option, by its number.
    package let optionBits: UInt32
    /// A bit for each of the first 64 filters of the kind, by its number.
    package let filterBits: UInt64

    /// Creates a set of names.
    package init(kind: Kind? = nil, optionBits: UInt32 = 0, filterBits: UInt64 = 0) {
        (self.kind, self.optionBits, self.filterBits) = (kind, optionBits, filterBits)
    }
}

extension GivenNames {
    /// Returns the name of the target's kind, or `events`; nil if it is neither, or a kind that the catalogue lacks.
    package func target(of verb: Verb, in catalogue: Catalogue) -> String? {
        if let kind { return catalogue.schema(of: kind)?.name }
        return [.read(.read), .read(.find), .read(.count), .follow(.subscribe)].contains(verb) ? "events" : nil
    }

    /// Returns the options and filters, separated by commas; nil if there are none.
    package func options(in catalogue: Catalogue) -> String? {
        let options = OptionName.allCases.filter { optionBits & $0.bit != 0 }.map(\.name)
        let filters = kind.flatMap { catalogue.schema(of: $0) }?.filters.map(\.name) ?? []
        let given = filters.prefix(64).enumerated().filter { filterBits & 1 << UInt64($0.offset) != 0 }.map(\.element)
        let all = given + options
        return all.isEmpty ? nil : all.joined(separator: ",")
    }
}
