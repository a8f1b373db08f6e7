/// One line of an answer.
package enum Reply: Equatable, Sendable {
    /// `= {…}`: a stream of `STREAMS`.
    case stream(StreamSummary)
    /// `= {…}`: what an `APPEND` of several streams did to one of them.
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

/// What closes an answer that succeeded.
package enum Done: Equatable, Sendable {
    /// `GET` of a row.
    case row(RowCopy)
    /// A write that appended, now or the first time its key was seen.
    case receipt(Receipt)
    /// `APPEND *`: how many streams it appended to, and its last position.
    case appended(count: Int, position: Position, repeated: Bool)
    /// A write that would have changed nothing.
    case unchanged(id: Identifier?, stream: StreamName, version: Version, position: Position)
    /// `LIST`: `next` is the cursor, absent at the end.
    case page(count: Int, next: [UInt8]?, position: Position)
    /// `STREAMS`: `next` is the stream to go on after, absent at the end.
    case streams(count: Int, next: StreamName?, position: Position)
    /// `COUNT`.
    case counted(Int, position: Position)
    /// `READ`: `next` is the `from` to go on with, whichever way it goes; absent at the end.
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
    package let stream: StreamName
    package let version: Version
    package let position: Position
    package let time: Instant
    /// True when the key had been seen before: this is the first receipt again.
    package let repeated: Bool

    package init(
        id: Identifier?, stream: StreamName, version: Version, position: Position, time: Instant, repeated: Bool = false
    ) {
        self.id = id
        self.stream = stream
        self.version = version
        self.position = position
        self.time = time
        self.repeated = repeated
    }
}

/// A stream, as `STREAMS` shows it.
package struct StreamSummary: Equatable, Sendable {
    package let name: StreamName
    package let version: Version
    /// Its last event.
    package let position: Position

    package init(name: StreamName, version: Version, position: Position) {
        self.name = name
        self.version = version
        self.position = position
    }
}

/// A named value of an answer that has no type of its own.
package struct Member: Equatable, Sendable {
    package let name: String
    package let value: MemberValue

    package init(_ name: String, _ value: MemberValue) {
        self.name = name
        self.value = value
    }
}

package indirect enum MemberValue: Equatable, Sendable {
    case count(UInt64)
    case number(Double)
    case text(String)
    case flag(Bool)
    case list([MemberValue])
    case object([Member])
}

/// A push of a subscription: `>1 {…}`.
package enum Push: Equatable, Sendable {
    /// Catch-up met live: everything up to here was sent.
    case caughtUp(Position)
    /// A slow reader fell back to reading the log; so many events wait.
    case behind(UInt64)
    /// It is over; a new one from here would go on without a gap.
    case end(EndReason, resume: Position)
}

/// Why a subscription is over.
package struct EndReason: Equatable, Sendable {
    /// The daemon stops.
    package static let draining = EndReason("draining")
    /// The client said `QUIT`.
    package static let quit = EndReason("quit")
    /// The client sends nothing more.
    package static let closed = EndReason("closed")
    /// It asked for nothing for so long, or did not end what it began.
    package static let idle = EndReason("idle")
    /// There are too many connections.
    package static let busy = EndReason("busy")

    /// A word or a sentence.
    package let text: String
    /// True when what is stored at the position to resume from cannot be read.
    package let isDamage: Bool

    package init(_ text: String, isDamage: Bool = false) {
        self.text = text
        self.isDamage = isDamage
    }

    /// The storage failed under the subscription.
    package init(_ failure: Failure) { self.init(failure.message, isDamage: failure.isDamage) }
}

/// What is said to a connection that asked nothing: `* {…}`.
package enum Notice: Equatable, Sendable {
    case greeting(Greeting)
    case draining(Position)
    /// The connection is ended, because it did nothing for so many seconds.
    case idle(seconds: Int, Position)
}

/// The failures that an acknowledged event survives, as the greeting names them.
package enum Durability: String, Equatable, Sendable {
    /// The end of the process and of the machine: it is synced to a disk.
    case fsync
    /// The end of the process alone: the data directory lies in memory.
    case memory
}

/// The first line of every connection.
package struct Greeting: Equatable, Sendable {
    package let server: String
    package let position: Position
    package let durable: Durability
    /// Which history this is.
    package let log: LogID
    package let limits: Limits
    package let peer: Peer

    package init(
        server: String, position: Position, durable: Durability = .fsync, log: LogID, limits: Limits, peer: Peer
    ) {
        self.server = server
        self.position = position
        self.durable = durable
        self.log = log
        self.limits = limits
        self.peer = peer
    }
}

/// Who is at the other end, from the kernel.
package struct Peer: Equatable, Sendable {
    package let uid: UInt32
    package let role: Role

    package init(uid: UInt32, role: Role) {
        self.uid = uid
        self.role = role
    }
}

/// What a peer may do; each role may do what the ones before it may.
package enum Role: Int, Comparable, CaseIterable, Sendable {
    case read, write, admin

    package var name: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .admin: "admin"
        }
    }

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
