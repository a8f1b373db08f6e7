package import StoryCore

/// The answers to `HELP`, from the table that the parser uses.
package enum Help {
    /// Returns every line of the answer, including the closing one.
    ///
    /// - Parameters:
    ///   - topic: a verb or an error code, ignoring case; nil for a row for each verb that clients use: `AS` is for nodes.
    ///   - table: the table of the requests.
    package static func answer(_ topic: String?, from table: RequestTable) -> [Reply] {
        let ofClients = table.shapes.filter { $0.verb != .operate(.passOn) }
        guard let topic else { return closed(ofClients.map(row)) }
        let capitals = topic.uppercased()
        if let shape = table.shapes.first(where: { $0.verb.name == capitals }) { return closed([page(shape)]) }
        if let code = ErrorCode.allCases.first(where: { $0.rawValue.uppercased() == capitals }) {
            return closed([row(code)])
        }
        let choices = ofClients.map(\.verb.name) + ErrorCode.allCases.map(\.rawValue)
        var name = topic
        let failure = name.withUTF8 { name in
            Refusals.unknown("there is no verb or code", UnsafeRawBufferPointer(name), among: choices)
        }
        return [.failed(failure)]
    }

    private static func closed(_ rows: [[Member]]) -> [Reply] {
        rows.map { .line($0) } + [.done(.members([Member("count", .count(UInt64(rows.count)))]))]
    }

    private static func row(_ shape: RequestShape) -> [Member] {
        [
            Member("verb", .text(shape.verb.name)),
            Member("usage", .text(shape.usage)),
            Member("summary", .text(shape.summary)),
        ]
    }

    private static func page(_ shape: RequestShape) -> [Member] {
        var members = row(shape)
        members.append(Member("role", .text(shape.role.name)))
        members.append(Member("options", .list(shape.options.map { option($0, shape.verb) })))
        if shape.takesFilters { members.append(Member("filters", .object(shape.kinds.map { filters($0, shape) }))) }
        if shape.body == .form { members.append(Member("fields", .object(shape.kinds.map { fields($0, shape.verb) }))) }
        members.append(Member("example", .text(shape.example)))
        return members
    }

    private static func option(_ option: OptionName, _ verb: Verb) -> MemberValue {
        described(option.name, option.placeholder(of: verb), option.summary(of: verb))
    }

    /// Returns the filters of a kind, and the options that the verb has for it alone.
    private static func filters(_ kind: KindSchema, _ shape: RequestShape) -> Member {
        let others = shape.options(of: kind).filter { !shape.options.contains($0) }
        let filters = kind.options.map { described($0.name, $0.placeholder, $0.summary) }
        return Member(kind.name, .list(filters + others.map { option($0, shape.verb) }))
    }

    /// Returns the members of the form that a verb takes.
    private static func fields(_ kind: KindSchema, _ verb: Verb) -> Member {
        Member(kind.name, .list(kind.formFields(of: verb).map { .text($0) }))
    }

    private static func described(_ name: String, _ placeholder: String, _ summary: String) -> MemberValue {
        .object([
            Member("name", .text(name)), Member("value", .text(placeholder)), Member("summary", .text(summary)),
        ])
    }

    private static func row(_ code: ErrorCode) -> [Member] {
        [
            Member("code", .text(code.rawValue)),
            Member("retry", .text(code.retry.rawValue)),
            Member("summary", .text(code.summary)),
        ]
    }
}

extension ErrorCode {
    /// The condition for the code, in one sentence.
    package var summary: String {
        switch self {
        case .syntax: "The line is not a request; column is where reading stopped."
        case .unknown: "There is no such verb, kind, option, sort or filter; nearest is one that is close."
        case .invalid: "Fields or options are wrong; fields names every one of them."
        case .notFound: "Nothing has that ID or name."
        case .gone: "The content was deleted, and its history stays; the events are erased; or the cursor was dropped."
        case .exists: "The ID or the email is taken; field says which."
        case .conflict:
            "The stream is not at the version that version= names, or an event of unless= has come; read and decide again."
        case .keyReused: "This key belongs to another request, whose event is at position."
        case .denied: "The peer's role may not do this, the category is the store's own, or the node leads."
        case .tooLarge: "Something is over a limit."
        case .full: "The disk or the map is full: reads go on, nothing was written."
        case .diverged: "log= names another history; log is this one, position the last event that both have."
        case .behind: "The store, or the node to promote, has not got an event yet; position is its last one."
        case .notLeader: "The store is a replica: address is that of the store which takes writes."
        case .unavailable:
            "No node leads the log now; outcome says whether the request may be carried out all the same."
        case .busy: "The server is at a limit of its own; send it again later."
        case .held: "Another connection holds the cursor; holder is its process. Send it again later."
        case .lost: "The connection does not hold the cursor any more, and nothing was written: WORK begins at at + 1."
        case .draining: "The server is stopping; send it again later."
        case .internal: "The server has a defect and continues; with damaged, the stored data is damaged instead."
        }
    }
}
