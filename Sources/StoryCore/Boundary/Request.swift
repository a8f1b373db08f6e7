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

    /// Creates a request; its verb is that of the action.
    package init(tag: Tag?, role: Role, action: RequestAction, minimum: Minimum? = nil) {
        self.tag = tag
        self.role = role
        verb = action.verb
        self.action = action
        self.minimum = minimum
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
    /// The connection with this number; nil means all.
    case clients(UInt64?)
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

    /// True when the verb may append events.
    package var isWrite: Bool {
        switch self {
        case .post, .edit, .like, .unlike, .see, .delete, .append, .define, .undefine: true
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics,
            .clients, .checkpoint, .verify, .backup, .quit, .models, .types, .send, .seal, .cluster:
            false
        }
    }

    /// True when requests with the verb read durable data only; a count of events does as well.
    package var waitsForOwnWrites: Bool {
        switch self {
        case .read, .subscribe, .checkpoint, .verify, .backup, .send, .seal: true
        case .get, .list, .count, .sorts, .streams, .post, .edit, .like, .unlike, .see, .delete, .append, .unsubscribe,
            .ping, .help, .stats, .metrics, .clients, .quit, .define, .undefine, .models, .types, .cluster:
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

/// One event that a write proposes, without a position in the log yet.
package struct EventProposal: Equatable, Sendable {
    /// The typed fact, or the data of a custom event.
    package let body: EventBody
    /// The text of a JSON object, unchanged.
    package let meta: ByteView?
    /// The text of a JSON array of tags, without white space.
    package let tags: ByteView?

    /// Creates a proposal.
    package init(body: EventBody, meta: ByteView?, tags: ByteView? = nil) {
        self.body = body
        self.meta = meta
        self.tags = tags
    }

    /// Returns the parts of one proposal's text: type and data of a custom event, nil for other events; the tags and
    /// the meta.
    ///
    /// The parts are read from the array's storage, since copying a proposal takes longer than writing it.
    package static func parts(
        of proposals: [EventProposal], _ index: Int
    ) -> (custom: (type: EventType, data: ByteView)?, tags: ByteView?, meta: ByteView?) {
        proposals.withUnsafeBufferPointer { proposals in
            let tags = proposals[index].tags
            let meta = proposals[index].meta
            if case .custom(let type, let data) = proposals[index].body { return ((type, data), tags, meta) }
            return (nil, tags, meta)
        }
    }

    /// Creates a proposal of a custom event.
    ///
    /// - Parameter data: a JSON value's text, kept byte for byte.
    package init(type: EventType, data: ByteView, meta: ByteView?, tags: ByteView? = nil) {
        self.init(body: .custom(type, data: data), meta: meta, tags: tags)
    }
}

/// One event of an `APPEND *`, with its stream.
package struct StreamProposal: Equatable, Sendable {
    /// The stream that the event is appended to.
    package let stream: StreamName
    /// The version that the stream must have before this event, after the events ahead of it in the request.
    package let version: Version?
    /// The event to append.
    package let event: EventProposal

    /// Creates a proposal for a stream.
    package init(stream: StreamName, version: Version? = nil, event: EventProposal) {
        self.stream = stream
        self.version = version
        self.event = event
    }
}

/// A moment in history: a position, or the last position at or before a time.
package enum Moment: Equatable, Sendable {
    case position(Position)
    case time(Instant)
}
