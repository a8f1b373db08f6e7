import StoryCore
import StoryModels

/// What a write comes to, before anything is appended. It is large, so it is handed on without a copy.
enum WriteOutcome: ~Copyable {
    /// These events are to be appended to one stream.
    case appends(NewEvents)
    /// These events are to be appended to several.
    case appendsTogether(JointEvents)
    case unchanged(id: Identifier?, StreamName, StreamHead)
    /// The key was seen before with the same request.
    case repeated(WriteReceipt)
    case refused(Failure)
}

/// Events for one stream, not yet placed in the log.
struct NewEvents {
    /// The content's ID; nil for events of the users' own.
    let id: Identifier?
    let stream: StreamName
    /// How far the stream is now; nil when it is new.
    let head: StreamHead?
    let events: [EventProposal]
    let key: RequestKey?
}

/// Events for several streams, not yet placed in the log.
struct JointEvents {
    /// A stream that is appended to.
    struct Target {
        let stream: StreamName
        /// How far the stream is now; nil when it is new.
        let head: StreamHead?
    }

    /// In the order in which the events first name them.
    let targets: [Target]
    let events: [EventProposal]
    /// Which of the targets each of the events is for.
    let aims: [Int]
    let key: RequestKey?
}

/// What a write that appended is answered with: a receipt for each stream.
struct WriteReceipt {
    /// In the order in which the events first name the streams.
    private var receipts: [Receipt] = []
    private let isTogether: Bool

    /// - Parameters:
    ///   - receipts: of the events that the write made, at least one.
    ///   - isTogether: true for an `APPEND *`.
    init(_ receipts: [Receipt], isTogether: Bool) {
        self.isTogether = isTogether
        add(receipts)
    }

    /// The same of a write that was done before.
    init(_ events: [WrittenEvent], id: Identifier?, isTogether: Bool) {
        self.isTogether = isTogether
        add(events.map { Receipt(of: $0, id) })
    }

    /// Keeps the last receipt of each stream.
    private mutating func add(_ all: [Receipt]) {
        var indexes: [StreamName: Int] = [:]
        for receipt in all {
            if let index = indexes[receipt.stream] {
                receipts[index] = receipt
            } else {
                indexes[receipt.stream] = receipts.count
                receipts.append(receipt)
            }
        }
    }

    /// The last event that the write made.
    var position: Position { receipts.reduce(.zero) { max($0, $1.position) } }

    /// The lines of the answer.
    var replies: [Reply] {
        guard let last = receipts.max(by: { $0.position < $1.position }) else { return [] }
        guard isTogether else { return [.done(.receipt(last))] }
        let done = Done.appended(count: receipts.count, position: last.position, repeated: last.repeated)
        return receipts.map { .receipt($0) } + [.done(done)]
    }
}

extension Receipt {
    /// What the write is answered with again that made an event.
    init(of event: WrittenEvent, _ id: Identifier?) {
        self.init(
            id: id, stream: event.stream, version: event.version, position: event.position, time: event.time,
            repeated: true)
    }
}
