package import StoryCore

/// What a verb can be pointed at.
package enum TargetShape: Equatable, Sendable {
    case none
    /// `stories`
    case kind([Kind])
    /// `stories/ID`
    case content([Kind])
    /// `events`, `events/STREAM` or `events/CATEGORY-*`
    case events
    /// `STREAM` or `CATEGORY-*`, or nothing
    case streams
    /// `STREAM`, or `*` for those that the events name
    case stream
    /// The number of a subscription.
    case subscription
    /// The name of a verb or of an error code, or nothing.
    case topic
    /// A path.
    case directory

    package var usage: String {
        switch self {
        case .none: ""
        case .kind(let kinds): TargetShape.names(kinds)
        case .content(let kinds): TargetShape.names(kinds) + "/ID"
        case .events: "events[/STREAM | /CATEGORY-*]"
        case .streams: "[STREAM | CATEGORY-*]"
        case .stream: "STREAM|*"
        case .subscription: "NUMBER"
        case .topic: "[VERB | CODE]"
        case .directory: "\"DIR\""
        }
    }

    var isRequired: Bool {
        switch self {
        case .none, .streams, .topic: false
        case .kind, .content, .events, .stream, .subscription, .directory: true
        }
    }

    private static func names(_ kinds: [Kind]) -> String { kinds.map(\.name).joined(separator: "|") }
}

/// Which JSON ends the line.
package enum BodyShape: String, Sendable {
    case none = ""
    /// An object whose members are the fields of a form.
    case form = "{…}"
    /// One object of an event, or an array of them.
    case events = "{\"type\":…,\"data\":…} | [{…},…]"
}

/// Everything there is to know about the shape of one verb's requests.
package final class RequestShape: Sendable {
    package let verb: Verb
    package let role: Role
    package let target: TargetShape
    package let options: [OptionName]
    /// True when the filters of the target's kind are options too.
    package let takesFilters: Bool
    package let body: BodyShape
    package let summary: String
    package let example: String
    let optionBits: UInt32

    init(
        _ verb: Verb, _ role: Role, _ target: TargetShape = .none, options: [OptionName] = [],
        takesFilters: Bool = false, body: BodyShape = .none, summary: String, example: String
    ) {
        self.verb = verb
        self.role = role
        self.target = target
        self.options = options
        self.takesFilters = takesFilters
        self.body = body
        self.summary = summary
        self.example = example
        self.optionBits = options.reduce(0) { $0 | $1.bit }
    }

    /// The request as HELP and errors show it: `GET users|stories|messages|photos/ID [at=P|TIME]`.
    package var usage: String {
        var parts = [verb.rawValue, target.usage]
        if takesFilters { parts.append("[FILTER=VALUE]…") }
        parts += options.map { "[\($0.name)=\($0.placeholder)]" }
        parts.append(body.rawValue)
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
