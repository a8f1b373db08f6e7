import StoryCore
import StoryFold

/// The outcome of a write, before anything is appended. It is large, so it is not copyable.
enum WriteOutcome: ~Copyable {
    /// These events are to be appended to one stream.
    case appends(NewEvents)
    /// These events are to be appended to several.
    case appendsTogether(JointEvents)
    case unchanged(id: Identifier?, StreamName, StreamHead)
    /// The key was seen before with the same request.
    case repeated(WriteReceipt)
    case refused(Failure)
    /// The look at its preconditions is long: it is handled again after that.
    case undecided(PreconditionLook)
}

/// Events for one stream, not yet in the log.
struct NewEvents {
    /// The content's ID; nil for the users' own events.
    let id: Identifier?
    let stream: StreamName
    /// The head of the stream; nil if it is new.
    let head: StreamHead?
    let events: [EventProposal]
    let key: RequestKey?
}

/// Events for several streams, not yet in the log.
struct JointEvents {
    /// A stream that is appended to.
    struct Target {
        let stream: StreamName
        /// The head of the stream; nil if it is new.
        let head: StreamHead?
    }

    /// The streams, in the order in which the events first name them.
    let targets: [Target]
    let events: [EventProposal]
    /// The index in `targets` of the stream of each event.
    let aims: [Int]
    let key: RequestKey?
}

/// The answer to a write that appended: a receipt for each stream.
struct WriteReceipt {
    /// The receipts, in the order in which the events first name the streams.
    private var receipts: [Receipt] = []
    private let isTogether: Bool
    /// The position of the cursor that the write moved; nil where it moved none.
    var cursor: CursorPlace?

    /// Creates a receipt of a write.
    ///
    /// - Parameters:
    ///   - receipts: the receipts of the events that the write made, now or before; at least one.
    ///   - isTogether: true for an `APPEND *`.
    init(_ receipts: [Receipt], isTogether: Bool) {
        self.isTogether = isTogether
        // The last receipt of each stream counts.
        var indexes: [StreamName: Int] = [:]
        for receipt in receipts {
            if let index = indexes[receipt.stream] {
                self.receipts[index] = receipt
            } else {
                indexes[receipt.stream] = self.receipts.count
                self.receipts.append(receipt)
            }
        }
    }

    /// The position of the last event that the write made.
    var position: Position { receipts.reduce(.zero) { max($0, $1.position) } }

    /// The lines of the answer.
    var replies: [Reply] {
        guard let last = receipts.max(by: { $0.position < $1.position }) else { return [] }
        guard isTogether else { return [.done(.receipt(last))] }
        let done = Done.appended(
            count: receipts.count, position: last.position, repeated: last.repeated, cursor: cursor)
        return receipts.map { .receipt($0) } + [.done(done)]
    }
}

/// The append of what a write made: events are numbered after the end of the log, appended and folded one by one.
struct Appending {
    private let world: World
    private let uid: UInt32
    private let now: Instant
    private let output: any TurnOutput
    /// The move of a share that the write makes, as events have it; nil where it makes none.
    private let move: ByteView?

    /// - Parameters:
    ///   - uid: the user ID of the process that writes.
    ///   - move: the move of a share that the write makes, as events have it; nil where it makes none.
    init(to world: World, by uid: UInt32, _ now: Instant, _ output: any TurnOutput, moving move: ByteView? = nil) {
        (self.world, self.uid, self.now, self.output, self.move) = (world, uid, now, output, move)
    }

    /// Numbers the events of one stream and appends them; returns the receipt of the last one.
    ///
    /// Where the log has no room for an event, the receipt is undone with everything that is not durable.
    func append(_ new: NewEvents) -> Receipt {
        let end = world.end
        let (time, number, first) = (max(end.time, now), new.head?.number ?? end.nextStream, end.position.next)
        var position = end.position
        var last = new.head
        for index in new.events.indices {
            position = position.next
            let version = (last?.version ?? .zero).next
            let place = EventMetadata(position: position, streamNumber: number, version: version, time: time, by: uid)
            let prior = PriorState(head: last, first: first, made: index)
            append(new.events, index, to: new.stream, key: new.key, at: place, after: prior)
            last = StreamHead(place)
        }
        return Receipt(
            id: new.id, stream: new.stream, version: last?.version ?? .zero, position: position, time: time)
    }

    /// Numbers the events of several streams and appends them, as `append` does.
    func appendTogether(_ new: JointEvents) -> WriteReceipt {
        let end = world.end
        let (time, first) = (max(end.time, now), end.position.next)
        var placement = Placement(of: new, after: end)
        var receipts: [Receipt] = []
        receipts.reserveCapacity(new.events.count)
        for index in new.events.indices {
            let stream = new.targets[new.aims[index]].stream
            let prior = PriorState(head: placement.head(of: new.aims[index]), first: first, made: index)
            let place = placement.next(for: new.aims[index], at: time, by: uid)
            append(new.events, index, to: stream, key: new.key, at: place, after: prior)
            receipts.append(
                Receipt(id: nil, stream: stream, version: place.version, position: place.position, time: time))
        }
        return WriteReceipt(receipts, isTogether: true)
    }

    private func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        at place: EventMetadata, after prior: PriorState
    ) {
        let cursor = index == 0 ? move : nil
        guard output.append(proposals, index, to: stream, key: key, cursor: cursor, at: place, after: prior) else {
            return
        }
        let tags = world.recency == nil ? nil : EventProposal.parts(of: proposals, index).tags
        guard let tags else { return world.folded(place, nil) }
        tags.withUnsafeBytes { world.folded(place, RecordTags($0)) }
    }
}

/// The numbering of the events of an `APPEND *`: assigns positions and versions after the end of the log.
struct Placement {
    /// The last position in use.
    private var head: Position
    /// The head of each stream that is appended to; of version zero for a new one.
    private var heads: [StreamHead] = []

    init(of new: JointEvents, after end: LogHead) {
        head = end.position
        var next = end.nextStream
        for target in new.targets {
            heads.append(target.head ?? StreamHead(number: next, version: .zero, position: .zero))
            if target.head == nil { next = StreamNumber(next.value + 1) }
        }
    }

    /// Returns the head of a target's stream; nil while the stream is new.
    func head(of target: Int) -> StreamHead? { heads[target].version > .zero ? heads[target] : nil }

    /// Returns the metadata of the write's next event.
    ///
    /// - Parameters:
    ///   - target: the index of the stream that it is for.
    ///   - uid: the user ID of the process that writes.
    mutating func next(for target: Int, at time: Instant, by uid: UInt32) -> EventMetadata {
        head = head.next
        let (number, version) = (heads[target].number, heads[target].version.next)
        let place = EventMetadata(position: head, streamNumber: number, version: version, time: time, by: uid)
        heads[target] = StreamHead(place)
        return place
    }
}
