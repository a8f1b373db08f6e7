/// A verb of the line protocol, in the group that says how a store handles it.
///
/// A new verb is a case of its group with the next number, and its name at the end of `names`. Its arguments are a case
/// of the group's actions (`RequestAction`), its form is an entry of `RequestTable`, and `RequestReader` reads it.
package enum Verb: Hashable, CaseIterable, Sendable {
    case read(ReadVerb)
    case write(WriteVerb)
    case follow(FollowVerb)
    case operate(OperateVerb)

    /// All verbs, in the order of their numbers.
    package static let allCases: [Verb] = {
        let reads = ReadVerb.allCases.map { Verb.read($0) } + WriteVerb.allCases.map { Verb.write($0) }
        let others = FollowVerb.allCases.map { Verb.follow($0) } + OperateVerb.allCases.map { Verb.operate($0) }
        return (reads + others).sorted { $0.number < $1.number }
    }()

    /// The names by number, as in a request line.
    private static let names = [
        "GET", "LIST", "COUNT", "SORTS", "READ", "STREAMS", "POST", "EDIT", "LIKE", "UNLIKE", "SEE", "DELETE", "APPEND",
        "SUBSCRIBE", "UNSUBSCRIBE", "PING", "HELP", "STATS", "METRICS", "CLIENTS", "CHECKPOINT", "VERIFY", "BACKUP",
        "QUIT", "DEFINE", "UNDEFINE", "MODELS", "TYPES", "SEND", "SEAL", "CLUSTER", "AS",
        "ERASE", "ERASURES", "CURSOR", "WORK", "ACK", "FAIL", "CURSORS", "PARKED", "RETRY", "DISCARD",
        "RESET", "DROP", "FIND",
    ]

    /// Returns the verb with a name in capitals; nil if there is none.
    package init?(name: String) {
        guard let verb = Verb.allCases.first(where: { $0.name == name }) else { return nil }
        self = verb
    }

    /// The name, as in a request line.
    package var name: String { Verb.names[number] }

    /// The index among all verbs, from 0, for tables that are read on each request.
    package var number: Int {
        switch self {
        case .read(let verb): verb.rawValue
        case .write(let verb): verb.rawValue
        case .follow(let verb): verb.rawValue
        case .operate(let verb): verb.rawValue
        }
    }

    /// True when the verb may append events.
    package var isWrite: Bool { if case .write = self { true } else { false } }

    /// True when requests with the verb read durable data only; a count of events does as well.
    package var waitsForEarlierWrites: Bool {
        switch self {
        case .operate(.help), .operate(.cluster), .operate(.passOn): false
        case .read(.read), .read(.find), .read(.erasures), .read(.cursors), .read(.parked), .follow(.work),
            .follow(.subscribe),
            .follow(.send), .operate:
            true
        case .read, .write, .follow: false
        }
    }
}

/// The verbs that the read models, the log or their indexes answer. The numbers never change.
package enum ReadVerb: Int, CaseIterable, Sendable {
    case get = 0
    case list = 1
    case count = 2
    case sorts = 3
    case read = 4
    case streams = 5
    case ping = 15
    case models = 26
    case types = 27
    case erasures = 33
    case cursors = 38
    case parked = 39
    case find = 44
}

/// The verbs that append events. The numbers never change.
package enum WriteVerb: Int, CaseIterable, Sendable {
    case post = 6
    case edit = 7
    case like = 8
    case unlike = 9
    case see = 10
    case delete = 11
    case append = 12
    case define = 24
    case undefine = 25
    case erase = 32
    case cursor = 34
    case ack = 36
    case fail = 37
    case retry = 40
    case discard = 41
    case reset = 42
    case drop = 43
}

/// The verbs that change what a connection follows, or end it. The numbers never change.
package enum FollowVerb: Int, CaseIterable, Sendable {
    case subscribe = 13
    case unsubscribe = 14
    case quit = 23
    case send = 28
    case work = 35
}

/// The verbs that ask for work beside the engine: reports, checks and copies. The numbers never change.
package enum OperateVerb: Int, CaseIterable, Sendable {
    case help = 16
    case stats = 17
    case metrics = 18
    case clients = 19
    case checkpoint = 20
    case verify = 21
    case backup = 22
    case seal = 29
    case cluster = 30
    /// A write that a node passes on; a request that was read has the verb of that write.
    case passOn = 31
}
