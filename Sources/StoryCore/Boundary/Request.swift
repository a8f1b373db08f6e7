/// What one line asks for, read but not yet decided.
///
/// Plain data: names lie in it, and texts where they stand in the line or in memory of the line's reader. So it is good
/// for as long as the line is lent, and is handed on without a copy.
package struct Request: ~Copyable, Sendable {
    package let tag: Tag?
    /// The role that whoever asks it needs.
    package let role: Role
    /// That of the action: so that looking at it copies nothing.
    package let verb: Verb
    package let action: RequestAction

    package init(tag: Tag?, role: Role, action: RequestAction) {
        self.tag = tag
        self.role = role
        verb = action.verb
        self.action = action
    }

    /// The row that a `GET` asks for as it is now; nil for every other request.
    package var row: (kind: Kind, id: Identifier)? {
        if case .get(let kind, let id, nil) = action { (kind, id) } else { nil }
    }
}

/// The verbs, each with what it takes.
package enum RequestAction: Equatable, Sendable {
    case get(Kind, Identifier, at: Moment?)
    case list(ListQuery)
    case count(Kind, [Condition])
    case sorts(Kind)
    case read(ReadQuery)
    case streams(StreamsQuery)
    case post(Kind, FormFields, WriteOptions)
    case edit(Kind, Identifier, FormFields, WriteOptions)
    case like(Kind, Identifier, FormFields, WriteOptions)
    case unlike(Kind, Identifier, FormFields, WriteOptions)
    case see(Kind, Identifier, WriteOptions)
    case delete(Kind, Identifier, WriteOptions)
    case append(StreamName, [EventProposal], WriteOptions)
    /// Events of several streams, all of them or none.
    case appendTogether([StreamProposal], WriteOptions)
    case subscribe(SubscribeQuery)
    case unsubscribe(SubscriptionID)
    case ping
    case help(String?)
    case stats
    case metrics
    /// The connections; the one with this number, or all.
    case clients(UInt64?)
    case checkpoint
    case verify
    /// The directory that the copy is made in.
    case backup([UInt8])
    case quit

    /// The verb's name in capitals, for errors, HELP and figures per verb.
    package var verb: Verb {
        switch self {
        case .get: .get
        case .list: .list
        case .count: .count
        case .sorts: .sorts
        case .read: .read
        case .streams: .streams
        case .post: .post
        case .edit: .edit
        case .like: .like
        case .unlike: .unlike
        case .see: .see
        case .delete: .delete
        case .append, .appendTogether: .append
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .ping: .ping
        case .help: .help
        case .stats: .stats
        case .metrics: .metrics
        case .clients: .clients
        case .checkpoint: .checkpoint
        case .verify: .verify
        case .backup: .backup
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

    /// True for what may append events.
    package var isWrite: Bool {
        switch self {
        case .post, .edit, .like, .unlike, .see, .delete, .append: true
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics,
            .clients, .checkpoint, .verify, .backup, .quit:
            false
        }
    }

    /// True for what reads only what is durable: it waits until what its own connection wrote before it is.
    package var waitsForOwnWrites: Bool {
        switch self {
        case .read, .subscribe, .checkpoint, .verify, .backup: true
        case .get, .list, .count, .sorts, .streams, .post, .edit, .like, .unlike, .see, .delete, .append,
            .unsubscribe, .ping, .help, .stats, .metrics, .clients, .quit:
            false
        }
    }

    /// Its place among all verbs, from 0: for tables by verb that are looked up at each request.
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
        }
    }
}

/// What every write may carry.
@usableFromInline
package struct WriteOptions: Equatable, Sendable {
    /// `key=`: makes the write happen once for ever.
    @usableFromInline package var key: RequestKey?
    /// `version=`: what the stream must be at now.
    @usableFromInline package var version: Version?
    /// `meta=`: a JSON object's text, as it came.
    @usableFromInline package var meta: ByteView?

    @inlinable
    package init(key: RequestKey? = nil, version: Version? = nil, meta: ByteView? = nil) {
        self.key = key
        self.version = version
        self.meta = meta
    }
}

/// One event that a write proposes, not yet placed in the log.
package struct EventProposal: Equatable, Sendable {
    package let body: EventBody
    /// A JSON object's text, as it came.
    package let meta: ByteView?
    /// The text of a JSON array of tags, without white space.
    package let tags: ByteView?

    package init(body: EventBody, meta: ByteView?, tags: ByteView? = nil) {
        self.body = body
        self.meta = meta
        self.tags = tags
    }

    /// What the text of one of some proposals is made of, lent: its type and data where it is an event of the users'
    /// own, and for the others nil; its tags and its meta.
    ///
    /// It is asked for where they lie: to copy a proposal takes longer than to write it.
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

    /// - Parameter data: a JSON value's text, kept byte for byte.
    package init(type: EventType, data: ByteView, meta: ByteView?, tags: ByteView? = nil) {
        self.init(body: .custom(type, data: data), meta: meta, tags: tags)
    }
}

/// One event of an `APPEND *`, and the stream that it is for.
package struct StreamProposal: Equatable, Sendable {
    package let stream: StreamName
    /// What the stream must be at before this event, those before it in the request counted.
    package let version: Version?
    package let event: EventProposal

    package init(stream: StreamName, version: Version? = nil, event: EventProposal) {
        self.stream = stream
        self.version = version
        self.event = event
    }
}

/// A place in history: a position, or the last position at or before a time.
package enum Moment: Equatable, Sendable {
    case position(Position)
    case time(Instant)
}
