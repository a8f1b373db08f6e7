package import StoryCore

/// The form of a verb's target.
package enum TargetShape: Equatable, Sendable {
    case none
    /// `stories`
    case kind
    /// The subject of a count: `stories`, or `events`, `events/STREAM` or `events/CATEGORY-*`
    case counted
    /// `stories/ID`
    case content
    /// `events`, `events/STREAM` or `events/CATEGORY-*`; or `misfits/NAME`
    case events
    /// Events as above, without misfits; or `stories`
    case found
    /// Events as above, or a row: `stories/ID`
    case erased
    /// The subject of a subscription: events as above, `stories` or `stories/ID`
    case subject
    /// `STREAM` or `CATEGORY-*`, or nothing
    case streams
    /// `CATEGORY-*`, or nothing
    case category
    /// `STREAM`, or `*` for the streams that the events name
    case stream
    /// The number of a subscription.
    case subscription
    /// The number of a connection, or nothing; or `end` and a number.
    case client
    /// The name of a verb or of an error code, or nothing.
    case topic
    /// A path.
    case directory
    /// The name of a declared model.
    case model
    /// The uid of a user, and a write.
    case passedOn
    /// The name of a declared model or of a kind, or nothing.
    case models
    /// `promote NODE` or `remove NODE`, or nothing
    case change
    /// The name of a cursor.
    case cursor
    /// The name of a cursor, or nothing.
    case cursors
    /// An event of a cursor: `billing@1042`
    case mark
    /// An event of a cursor, or its name
    case marks

    /// Returns the form for HELP and errors.
    ///
    /// - Parameter kinds: the names of the kinds that it may be of.
    func usage(_ kinds: [String]) -> String {
        switch self {
        case .none: ""
        case .kind: kinds.joined(separator: "|")
        case .counted: kinds.joined(separator: "|") + " | events[/STREAM | /CATEGORY-*]"
        case .content: kinds.joined(separator: "|") + "/ID"
        case .events: "events[/STREAM | /CATEGORY-*] | misfits/NAME"
        case .found: "events[/STREAM | /CATEGORY-*] | " + kinds.joined(separator: "|")
        case .erased: "events[/STREAM | /CATEGORY-*] | " + kinds.joined(separator: "|") + "/ID"
        case .subject: "events[/STREAM | /CATEGORY-*] | " + kinds.joined(separator: "|") + "[/ID]"
        case .streams: "[STREAM | CATEGORY-*]"
        case .category: "[CATEGORY-*]"
        case .stream: "STREAM|*"
        case .subscription: "NUMBER"
        case .client: "[NUMBER | end NUMBER]"
        case .topic: "[VERB | CODE]"
        case .directory: "\"DIR\""
        case .model: "NAME"
        case .passedOn: "UID WRITE"
        case .models: "[" + (kinds + ["NAME"]).joined(separator: "|") + "]"
        case .change: "[promote|remove NODE]"
        case .cursor: "NAME"
        case .cursors: "[NAME]"
        case .mark: "NAME@P"
        case .marks: "NAME[@P]"
        }
    }

    var isRequired: Bool {
        switch self {
        case .none, .streams, .category, .client, .topic, .models, .change, .cursors: false
        case .kind, .counted, .content, .events, .found, .erased, .subject, .stream, .subscription, .directory, .model,
            .passedOn, .cursor, .mark, .marks:
            true
        }
    }
}

/// The form of the JSON that ends the line.
package enum BodyShape: String, Sendable {
    case none = ""
    /// An object whose members are the fields of a form.
    case form = "{…}"
    /// One object of an event, or an array of them.
    case events = "{\"type\":…,\"data\":…} | [{…},…]"
    /// A string.
    case text = "\"TEXT\""
    /// The object of a cursor's definition, or nothing.
    case definition = "[{\"on\":…,\"window\":…}]"

    /// True where the line may end without it.
    var isOptional: Bool { self == .definition }
}

/// The form of one verb's requests.
package final class RequestShape: Sendable {
    /// The verb.
    package let verb: Verb
    /// The least role that may send it; a dry run needs `read` alone.
    package let role: Role
    /// The least role that may send it where it changes something.
    private let changeRole: Role
    /// The form of the target.
    package let target: TargetShape
    /// The kinds that the target may be of.
    package let kinds: [KindSchema]
    /// The options that the verb takes.
    package let options: [OptionName]
    /// True if the filters of the target's kind are options too.
    package let takesFilters: Bool
    /// The form of the JSON.
    package let body: BodyShape
    /// The description in HELP.
    package let summary: String
    /// An example for HELP.
    package let example: String
    /// The further options where the target is a declared model.
    private let modelOptions: [OptionName]
    private let optionBits: UInt32
    private let modelOptionBits: UInt32
    private let takenKinds: [Kind]

    init(
        _ verb: Verb, _ role: Role, _ target: TargetShape = .none, of kinds: [KindSchema] = [],
        options: [OptionName] = [], ofModels: [OptionName] = [], takesFilters: Bool = false, body: BodyShape = .none,
        changeRole: Role? = nil, summary: String, example: String
    ) {
        self.verb = verb
        self.role = role
        self.changeRole = changeRole ?? role
        self.target = target
        self.kinds = kinds
        self.options = options
        self.takesFilters = takesFilters
        self.body = body
        self.summary = summary
        self.example = example
        modelOptions = ofModels
        optionBits = options.reduce(0) { $0 | $1.bit }
        modelOptionBits = ofModels.reduce(0) { $0 | $1.bit }
        takenKinds = kinds.map(\.kind)
    }

    /// Returns the least role that may send a request of the verb.
    func role(for action: RequestAction) -> Role {
        switch action {
        case .operate(.cluster(.some)), .operate(.clients(.end)): changeRole
        case .operate(.check): .read
        case _: role
        }
    }

    /// Returns a bit for each option that the verb has for the rows of a kind; nil: for events, or where the target is no
    /// kind.
    func optionBits(of kind: KindSchema?) -> UInt32 {
        guard target != .erased else { return optionBits & ~OptionName.bits(notIn: kind) }
        if target == .found { return optionBits & ~OptionName.bits(notOfFound: kind) }
        guard let kind else { return optionBits }
        return (isOfEvents ? optionBits & OptionName.min.bit : optionBits) | (kind.program == nil ? 0 : modelOptionBits)
    }

    /// Returns the options of those bits.
    func options(of kind: KindSchema?) -> [OptionName] {
        let bits = optionBits(of: kind)
        return (options + modelOptions).filter { bits & $0.bit != 0 }
    }

    /// The options where the target is a declared model.
    var optionsOfModels: [OptionName] { options.filter { !isOfEvents || $0 == .min } + modelOptions }

    /// True where the options are of events, and the rows of kinds have none of them but `min`.
    private var isOfEvents: Bool { target == .subject || target == .counted }

    /// Returns whether the target may be of a kind.
    func takes(_ kind: Kind) -> Bool { takenKinds.contains(kind) }

    /// The target as HELP and errors show it: `users|stories|messages|photos/ID`.
    package var targetUsage: String { target.usage(kinds.map(\.name)) }

    /// The request as HELP and errors show it: `GET users|stories|messages|photos/ID [at=P|TIME]`.
    package var usage: String {
        var parts = [verb.name, targetUsage]
        if takesFilters { parts.append("[FILTER=VALUE]…") }
        parts += options.map { option in
            let usage = "\(option.name)=\(option.placeholder(of: verb))"
            return option == .words ? usage : "[\(usage)]"
        }
        parts.append(body.rawValue)
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension OptionName {
    /// Returns a bit for each option that a search of a kind's rows lacks; nil: a search of events.
    fileprivate static func bits(notOfFound kind: KindSchema?) -> UInt32 {
        let lacking: [OptionName] =
            kind == nil ? [.at, .sort, .after] : [.from, .to, .order, .types, .tags, .query, .log]
        return lacking.reduce(0) { $0 | $1.bit }
    }

    /// Returns a bit for each option that an erasure of a kind's rows lacks; nil: an erasure of events.
    fileprivate static func bits(notIn kind: KindSchema?) -> UInt32 {
        var lacking: [OptionName] = kind == nil ? [] : [.from, .to, .types, .tags, .query, .log]
        if kind?.isOfUsers != true { lacking.append(.scope) }
        return lacking.reduce(0) { $0 | $1.bit }
    }
}
