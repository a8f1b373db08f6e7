import StoryCore

/// The name of a `name=value` part that is no filter. The raw values number them without a gap, for sets of bits.
package enum OptionName: UInt8, CaseIterable, BitwiseCopyable, Sendable {
    case at, sort, order, limit, after, from, to, types, log
    case key, version, meta

    package var name: String { OptionName.names[Int(rawValue)] }

    /// What stands after the `=` in HELP.
    package var placeholder: String {
        switch self {
        case .at: "P|TIME"
        case .sort: "KEY"
        case .order: "asc|desc"
        case .limit, .version: "N"
        case .after: "NEXT"
        case .from, .to: "P|TIME"
        case .types: "A,B"
        case .key: "KEY"
        case .meta: "{…}"
        case .log: "ID"
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
        case .meta: "a JSON object that is kept with the event"
        }
    }

    var bit: UInt32 { 1 &<< UInt32(rawValue) }

    /// The option with this name; nil when there is none.
    static func find(_ name: UnsafeRawBufferPointer) -> OptionName? {
        table.find(name).flatMap { OptionName(rawValue: UInt8($0)) }
    }

    private static let names = [
        "at", "sort", "order", "limit", "after", "from", "to", "types", "log", "key", "version", "meta",
    ]
    private static let table = NameTable(names)
}
