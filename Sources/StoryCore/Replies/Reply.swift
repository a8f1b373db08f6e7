/// One line of an answer.
package enum Reply: Equatable, Sendable {
    /// `= {…}`: a stream of `STREAMS`.
    case stream(StreamSummary)
    /// `= {…}`: the result of an `APPEND` of several streams for one of them.
    case receipt(Receipt)
    /// `= {…}`: a sort key of `SORTS`.
    case sort(SortSchema, Order)
    /// `= {…}`: anything else that comes in rows.
    case line([Member])
    /// `+ {…}`
    case done(Done)
    /// `- {…}`
    case failed(Failure)
}

/// The closing line of an answer that succeeded.
package enum Done: Equatable, Sendable {
    /// `GET` of a row.
    case row(RowCopy)
    /// A write that appended, now or the first time its key was seen.
    case receipt(Receipt)
    /// `APPEND *`: how many streams it appended to, and its last position.
    case appended(count: Int, position: Position, repeated: Bool, cursor: CursorPlace? = nil)
    /// A write that would have changed nothing.
    case unchanged(
        id: Identifier?, stream: StreamName, version: Version, position: Position, cursor: CursorPlace? = nil)
    /// `LIST`: `next` is the cursor, absent at the end.
    case page(count: Int, next: [UInt8]?, position: Position)
    /// `STREAMS`: `next` is the stream to go on after, absent at the end.
    case streams(count: Int, next: StreamName?, position: Position)
    /// `COUNT`.
    case counted(Int, position: Position)
    /// `READ`: `next` is the `from` of the next read, in either order; absent at the end.
    case read(count: Int, next: UInt64?, position: Position)
    /// `SUBSCRIBE`.
    case subscribed(SubscriptionID, position: Position)
    /// Anything else.
    case members([Member])
}

/// The proof of a write.
package struct Receipt: Equatable, Sendable {
    /// The content's ID; nil for `APPEND`.
    package let id: Identifier?
    /// The stream that the event was appended to.
    package let stream: StreamName
    /// The version of the stream after the event.
    package let version: Version
    /// The position of the event in the log.
    package let position: Position
    /// The time of the commit.
    package let time: Instant
    /// True when the key was used before: this is the first receipt again.
    package let repeated: Bool
    /// The position of the event that erased the content since; nil where it is whole.
    package let erased: Position?
    /// The position of the cursor that the write moved; nil where it moved none.
    package var cursor: CursorPlace?

    /// Creates a receipt from its parts.
    package init(
        id: Identifier?, stream: StreamName, version: Version, position: Position, time: Instant,
        repeated: Bool = false, erased: Position? = nil, cursor: CursorPlace? = nil
    ) {
        self.cursor = cursor
        self.id = id
        self.stream = stream
        self.version = version
        self.position = position
        self.time = time
        self.repeated = repeated
        self.erased = erased
    }
}

/// A stream in an answer to `STREAMS`.
package struct StreamSummary: Equatable, Sendable {
    /// The name of the stream.
    package let name: StreamName
    /// The version of the stream.
    package let version: Version
    /// The position of its last event.
    package let position: Position

    /// Creates a summary from its parts.
    package init(name: StreamName, version: Version, position: Position) {
        self.name = name
        self.version = version
        self.position = position
    }
}

/// A push of a subscription: `>1 {…}`.
package enum Push: Equatable, Sendable {
    /// The subscription has caught up: everything through this position was sent.
    case caughtUp(Position)
    /// A slow reader fell back to reading the log; this number of events waits.
    case behind(UInt64)
    /// The rows that were sent are void: the list comes again, as of this position or a later one.
    case again(Position)
    /// The event that follows comes a further time, and alone.
    case redelivered(Redelivery)
    /// The worker that waited has a share now; the count is that of all shares.
    case granted(CursorPlace, of: Int)
    /// The subscription is over; a new one from `resume` continues without a gap.
    case end(EndReason, resume: Position)
}

/// The reason why a subscription is over.
package struct EndReason: Equatable, Sendable {
    /// The daemon stops.
    package static let draining = EndReason("draining")
    /// The client said `QUIT`.
    package static let quit = EndReason("quit")
    /// The client closed its sending side.
    package static let closed = EndReason("closed")
    /// The client was idle for too long, or did not finish a request line.
    package static let idle = EndReason("idle")
    /// The certificate of the client is accepted no more.
    package static let certificate = EndReason("certificate")
    /// An administrator ended the connection.
    package static let ended = EndReason("ended")
    /// There are too many connections.
    package static let busy = EndReason("busy")

    /// The kind of the rows was removed.
    package static let undefined = EndReason("undefined")

    /// A word or a sentence.
    package let text: String
    /// True when the stored data at the position to resume from cannot be read.
    package let isDamage: Bool

    /// Creates a reason from a text.
    package init(_ text: String, isDamage: Bool = false) {
        self.text = text
        self.isDamage = isDamage
    }

    /// Creates the reason for a storage failure under the subscription.
    package init(_ failure: Failure) { self.init(failure.message, isDamage: failure.isDamage) }
}

/// A line that a connection gets unasked: `* {…}`.
package enum Notice: Equatable, Sendable {
    case greeting(Greeting)
    case draining(Position)
    /// The connection ends, since it was idle for the given number of seconds.
    case idle(seconds: Int, Position)
}

/// The failures that an acknowledged event survives, as the greeting names them.
package enum Durability: String, Equatable, Sendable {
    /// The end of the process and of the machine, since it is synced to a disk.
    case fsync
    /// The end of the process alone, since the data directory is in memory.
    case memory
    /// The end of any machine for good, since a majority of those of the service that orders the log have it.
    case quorum
}

/// The first line of every connection.
package struct Greeting: Equatable, Sendable {
    /// The name and version of the daemon.
    package let server: String
    /// The position of the last durable event.
    package let position: Position
    /// The failures that an acknowledged event survives.
    package let durable: Durability
    /// The ID of the log's history.
    package let log: LogID
    /// The limits that the client has to keep to.
    package let limits: Limits
    /// The uid and role of the client.
    package let peer: Peer
    /// The part that the store has among others of its history; nil for a store of its own.
    package let cluster: ClusterState?

    /// Creates a greeting from its parts.
    package init(
        server: String, position: Position, durable: Durability = .fsync, log: LogID, limits: Limits, peer: Peer,
        cluster: ClusterState? = nil
    ) {
        self.server = server
        self.position = position
        self.durable = durable
        self.log = log
        self.limits = limits
        self.peer = peer
        self.cluster = cluster
    }
}
