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
        if case .write = action { true } else { false }
    }

    /// True when the request reads durable data only: it waits until the earlier writes of its own connection are durable.
    package var waitsForEarlierWrites: Bool {
        verb.waitsForEarlierWrites || (verb == .read(.count) && action.kind == nil)
    }

    /// The row that a `GET` reads in its current state; nil for every other request.
    package var row: (kind: Kind, key: RowKey)? {
        if case .read(.get(let kind, let key, nil)) = action { (kind, key) } else { nil }
    }
}

/// How far a store has to be before it answers a request.
package enum Minimum: Equatable, Sendable {
    /// It has the event at this position.
    case position(Position)
    /// It has every event that anybody was acknowledged before the request.
    case now
}

/// An action that a request line asks for, in the group of its verb.
///
/// Arguments of rare actions, and of those that cost far more than an allocation, are boxed: a request is moved several
/// times, and the compiler's check of values that are not copied takes time with the square of their fields.
package enum RequestAction: Equatable, Sendable {
    case read(ReadAction)
    case write(WriteAction)
    case follow(FollowAction)
    case operate(OperateAction)

    /// The kind whose rows the request reads, follows or changes; nil for requests about events or the server.
    package var kind: Kind? {
        switch self {
        case .read(.get(let kind, _, _)), .read(.count(let kind, _)), .read(.sorts(let kind)): kind
        case .read(.list(let query)): query.kind
        case .read(.findRows(let query)): query.kind
        case .write(.content(let write)): write.kind
        case .follow(.subscribe(let query)): query.subject.kind
        case .read, .write, .follow, .operate: nil
        }
    }

    /// `from=` of a subscription that names a position; nil for every other request.
    package var firstPushed: Position? {
        if case .follow(.subscribe(let query)) = self, case .position(let from)? = query.from { from } else { nil }
    }

    /// True where the node that leads does it for a connection of its own: one that works off a cursor, or erases.
    package var isAtLeaderAlone: Bool {
        switch self {
        case .follow(.work), .write(.ack), .write(.fail), .write(.erase): true
        case .write(let action): action.cursor != nil
        case .read, .follow, .operate: false
        }
    }

    /// The verb, for errors, HELP and figures per verb.
    package var verb: Verb {
        switch self {
        case .read(let action): .read(action.verb)
        case .write(let action): .write(action.verb)
        case .follow(let action): .follow(action.verb)
        case .operate(let action): action.verb
        }
    }
}

/// The reads with their arguments.
package enum ReadAction: Equatable, Sendable {
    case get(Kind, RowKey, at: Moment?)
    case list(ListQuery)
    case count(Kind, [Condition])
    case sorts(Kind)
    indirect case read(ReadQuery)
    /// The number of the events that a read would return.
    indirect case countEvents(ReadQuery)
    /// The events with words.
    indirect case find(FindQuery)
    /// The rows of a kind with words.
    indirect case findRows(RowFindQuery)
    indirect case streams(StreamsQuery)
    indirect case types(TypesQuery)
    /// The model with this name; nil means all.
    case models(String?)
    indirect case misfits(MisfitsQuery)
    indirect case erasures(ErasuresQuery)
    /// The cursor with this name; nil means all.
    case cursors(Identifier?)
    indirect case parked(ParkedQuery)
    case ping

    fileprivate var verb: ReadVerb {
        switch self {
        case .get: .get
        case .list: .list
        case .count, .countEvents: .count
        case .sorts: .sorts
        case .read, .misfits: .read
        case .find, .findRows: .find
        case .streams: .streams
        case .types: .types
        case .models: .models
        case .erasures: .erasures
        case .cursors: .cursors
        case .parked: .parked
        case .ping: .ping
        }
    }
}

/// The writes with their arguments.
package enum WriteAction: Equatable, Sendable {
    /// `POST` `EDIT` `LIKE` `UNLIKE` `SEE` `DELETE`
    case content(ContentWrite)
    case append(StreamName, [EventProposal], WriteOptions)
    /// Events of several streams, appended atomically.
    case appendTogether([StreamProposal], WriteOptions)
    indirect case define(DefineRequest)
    case undefine(String)
    indirect case erase(EraseRequest)
    indirect case cursor(CursorRequest)
    /// Every event through one is done.
    case ack(CursorMark)
    indirect case fail(FailRequest)
    indirect case retry(RetryRequest)
    indirect case discard(DiscardRequest)
    indirect case reset(ResetRequest)
    /// The cursor with this name is gone.
    case drop(Identifier)

    /// The event of a cursor that the write makes done; nil where it names none.
    package var cursor: CursorMark? {
        switch self {
        case .content(let write): write.options.cursor
        case .append(_, _, let options), .appendTogether(_, let options): options.cursor
        case .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop: nil
        }
    }

    /// The verb, for errors.
    package var verb: WriteVerb {
        switch self {
        case .content(let write): write.action.verb
        case .append, .appendTogether: .append
        case .define: .define
        case .undefine: .undefine
        case .erase: .erase
        case .cursor: .cursor
        case .ack: .ack
        case .fail: .fail
        case .retry: .retry
        case .discard: .discard
        case .reset: .reset
        case .drop: .drop
        }
    }
}

/// The actions that change what a connection follows, with their arguments.
package enum FollowAction: Equatable, Sendable {
    indirect case subscribe(SubscribeQuery)
    case unsubscribe(SubscriptionID)
    indirect case work(WorkRequest)
    case quit

    fileprivate var verb: FollowVerb {
        switch self {
        case .subscribe(let query): query.subject == .records ? .send : .subscribe
        case .unsubscribe: .unsubscribe
        case .work: .work
        case .quit: .quit
        }
    }
}

/// Work beside the engine, whose end answers the request.
package enum OperateAction: Equatable, Sendable {
    /// A form of the request table, or an error; nil means all verbs.
    case help(String?)
    /// The daemon's figures in a form for people.
    case stats
    /// The figures in a form for programs that collect metrics.
    case metrics
    /// The connections, or the end of one.
    case clients(ClientsRequest)
    /// The read models are written to the disk up to the end of the log.
    case checkpoint
    /// A check of the whole log. The moment whose seal is wanted; nil means the last event.
    case verify(at: Moment?)
    /// The moment whose seal is wanted; nil means the last event.
    case seal(at: Moment?)
    /// The path of the directory that the copy of the log is made in.
    case backup([UInt8])
    /// The change of the log's nodes that is wanted; nil means a row for each.
    case cluster(NodeChange?)
    /// `DEFINE` with `check=true`: a dry run, which compares the rows of a definition with those that are served.
    indirect case check(DefineRequest)
    /// `ERASE` with `dry=true`: a dry run, which shows what would be taken.
    indirect case rehearse(EraseRequest)
    /// A search of the words of events, or of rows.
    indirect case search(EventSearch)
    indirect case searchRows(RowSearch)
    /// The end of an erasure, whose event `Erased` is at the position that comes with it.
    indirect case erasure(ErasedRecord)

    /// The verb; that of a dry run is a write's, and that of a search is a read's.
    fileprivate var verb: Verb {
        switch self {
        case .help: .operate(.help)
        case .stats: .operate(.stats)
        case .metrics: .operate(.metrics)
        case .clients: .operate(.clients)
        case .checkpoint: .operate(.checkpoint)
        case .verify: .operate(.verify)
        case .seal: .operate(.seal)
        case .backup: .operate(.backup)
        case .cluster: .operate(.cluster)
        case .check: .write(.define)
        case .search, .searchRows: .read(.find)
        case .rehearse, .erasure: .write(.erase)
        }
    }
}

/// A request about the connections.
package enum ClientsRequest: Equatable, Sendable {
    /// A row for each connection.
    case all
    /// The row of the connection with this number.
    case one(UInt64)
    /// The end of the connection with this number.
    case end(UInt64)
}

/// A change of a log's nodes that somebody asks a node for.
package enum NodeChange: Equatable, Sendable {
    /// This node leads.
    case promote(String)
    /// This node is forgotten.
    case remove(String)

    /// The node that it is about.
    package var node: String {
        switch self {
        case .promote(let node), .remove(let node): node
        }
    }
}
