/// A parsed request line, not yet decided.
///
/// Plain data: its names and texts point into the line or into memory of the line's reader, so that it is passed on
/// without a copy. It is valid until the line is handled.
package struct Request: ~Copyable, Sendable {
    /// The tag of the request; nil where it has none.
    package let tag: Tag?
    /// The role that the request requires.
    package let role: Role
    /// The verb of the action, stored so that reading it copies nothing.
    package let verb: Verb
    /// The verb with its arguments.
    package let action: RequestAction
    /// `min=`: how far the store has to be before it answers; nil where that does not matter.
    package let minimum: Minimum?
    /// `AS UID`: the user whose write a node passes on; nil for a request of the peer itself.
    package let author: UInt32?

    /// Creates a request; its verb is that of the action.
    package init(
        tag: Tag?, role: Role, action: RequestAction, minimum: Minimum? = nil, author: UInt32? = nil
    ) {
        self.tag = tag
        self.role = role
        verb = action.verb
        self.action = action
        self.minimum = minimum
        self.author = author
    }

    /// True where the request may append events; the dry run of a definition does not.
    package var isWrite: Bool {
        if case .define(let request) = action { request.check == nil } else { verb.isWrite }
    }

    /// True when the request reads durable data only: it waits until the earlier writes of its own connection are durable.
    package var waitsForOwnWrites: Bool { verb.waitsForOwnWrites || (verb == .count && action.kind == nil) }

    /// The row that a `GET` reads in its current state; nil for every other request.
    package var row: (kind: Kind, key: RowKey)? {
        if case .get(let kind, let key, nil) = action { (kind, key) } else { nil }
    }
}

/// How far a store has to be before it answers a request.
package enum Minimum: Equatable, Sendable {
    /// It has the event at this position.
    case position(Position)
    /// It has every event that anybody was acknowledged before the request.
    case now
}

/// The verbs with their arguments.
package enum RequestAction: Equatable, Sendable {
    case get(Kind, RowKey, at: Moment?)
    case list(ListQuery)
    case count(Kind, [Condition])
    case sorts(Kind)
    case read(ReadQuery)
    /// The number of the events that a read would return.
    case countEvents(ReadQuery)
    case streams(StreamsQuery)
    case types(TypesQuery)
    case define(DefineRequest)
    case undefine(String)
    /// The model with this name; nil means all.
    case models(String?)
    case misfits(MisfitsQuery)
    /// `POST` `EDIT` `LIKE` `UNLIKE` `SEE` `DELETE`
    case content(ContentWrite)
    case append(StreamName, [EventProposal], WriteOptions)
    /// Events of several streams, appended atomically.
    case appendTogether([StreamProposal], WriteOptions)
    case subscribe(SubscribeQuery)
    case unsubscribe(SubscriptionID)
    case ping
    case help(String?)
    case stats
    case metrics
    case clients(ClientsRequest)
    case checkpoint
    /// The moment whose seal is wanted; nil means the last event.
    case verify(at: Moment?)
    /// The moment whose seal is wanted; nil means the last event.
    case seal(at: Moment?)
    /// The path of the directory that the copy is made in.
    case backup([UInt8])
    /// The change of the log's nodes that is wanted; nil means a row for each.
    case cluster(NodeChange?)
    case quit

    /// The kind whose rows the request reads, follows or changes; nil for requests about events or the server.
    package var kind: Kind? {
        switch self {
        case .get(let kind, _, _), .count(let kind, _), .sorts(let kind): kind
        case .list(let query): query.kind
        case .content(let write): write.kind
        case .subscribe(let query): query.subject.kind
        case .read, .countEvents, .streams, .types, .define, .undefine, .models, .misfits, .append, .appendTogether,
            .unsubscribe, .ping, .help, .stats, .metrics, .clients, .checkpoint, .verify, .seal, .backup, .cluster,
            .quit:
            nil
        }
    }

    /// The verb, for errors, HELP and figures per verb.
    package var verb: Verb {
        switch self {
        case .get: .get
        case .list: .list
        case .count, .countEvents: .count
        case .sorts: .sorts
        case .read, .misfits: .read
        case .streams: .streams
        case .types: .types
        case .define: .define
        case .undefine: .undefine
        case .models: .models
        case .content(let write): write.action.verb
        case .append, .appendTogether: .append
        case .subscribe(let query): query.subject == .records ? .send : .subscribe
        case .unsubscribe: .unsubscribe
        case .ping: .ping
        case .help: .help
        case .stats: .stats
        case .metrics: .metrics
        case .clients: .clients
        case .checkpoint: .checkpoint
        case .verify: .verify
        case .seal: .seal
        case .backup: .backup
        case .cluster: .cluster
        case .quit: .quit
        }
    }
}

/// The verbs of the line protocol.
package enum Verb: String, CaseIterable, Sendable {
    case get = "GET"
    case list = "LIST"
    case count = "COUNT"
    case sorts = "SORTS"
    case read = "READ"
    case streams = "STREAMS"
    case post = "POST"
    case edit = "EDIT"
    case like = "LIKE"
    case unlike = "UNLIKE"
    case see = "SEE"
    case delete = "DELETE"
    case append = "APPEND"
    case subscribe = "SUBSCRIBE"
    case unsubscribe = "UNSUBSCRIBE"
    case ping = "PING"
    case help = "HELP"
    case stats = "STATS"
    case metrics = "METRICS"
    case clients = "CLIENTS"
    case checkpoint = "CHECKPOINT"
    case verify = "VERIFY"
    case backup = "BACKUP"
    case quit = "QUIT"
    case define = "DEFINE"
    case undefine = "UNDEFINE"
    case models = "MODELS"
    case types = "TYPES"
    case send = "SEND"
    case seal = "SEAL"
    case cluster = "CLUSTER"
    /// A write that a node passes on; a request that was read has the verb of that write.
    case passOn = "AS"

    /// True when the verb may append events.
    package var isWrite: Bool {
        switch self {
        case .post, .edit, .like, .unlike, .see, .delete, .append, .define, .undefine: true
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics,
            .clients, .checkpoint, .verify, .backup, .quit, .models, .types, .send, .seal, .cluster, .passOn:
            false
        }
    }

    /// True when requests with the verb read durable data only; a count of events does as well.
    package var waitsForOwnWrites: Bool {
        switch self {
        case .read, .subscribe, .checkpoint, .verify, .backup, .send, .seal, .stats, .metrics, .clients: true
        case .get, .list, .count, .sorts, .streams, .post, .edit, .like, .unlike, .see, .delete, .append, .unsubscribe,
            .ping, .help, .quit, .define, .undefine, .models, .types, .cluster, .passOn:
            false
        }
    }

    /// The index among all verbs, from 0, for tables that are read on each request.
    package var number: Int {
        switch self {
        case .get: 0
        case .list: 1
        case .count: 2
        case .sorts: 3
        case .read: 4
        case .streams: 5
        case .post: 6
        case .edit: 7
        case .like: 8
        case .unlike: 9
        case .see: 10
        case .delete: 11
        case .append: 12
        case .subscribe: 13
        case .unsubscribe: 14
        case .ping: 15
        case .help: 16
        case .stats: 17
        case .metrics: 18
        case .clients: 19
        case .checkpoint: 20
        case .verify: 21
        case .backup: 22
        case .quit: 23
        case .define: 24
        case .undefine: 25
        case .models: 26
        case .types: 27
        case .send: 28
        case .seal: 29
        case .cluster: 30
        case .passOn: 31
        }
    }
}

/// The options of every write.
@usableFromInline
package struct WriteOptions: Equatable, Sendable {
    /// `key=`: makes the write idempotent for ever.
    @usableFromInline package var key: RequestKey?
    /// `version=`: the version that the stream must have.
    @usableFromInline package var version: Version?
    /// `meta=`: the text of a JSON object, unchanged.
    @usableFromInline package var meta: ByteView?

    /// Creates options; all are absent by default.
    @inlinable
    package init(key: RequestKey? = nil, version: Version? = nil, meta: ByteView? = nil) {
        self.key = key
        self.version = version
        self.meta = meta
    }
}

/// A moment in history: a position, or the last position at or before a time.
package enum Moment: Equatable, Sendable {
    case position(Position)
    case time(Instant)
}
