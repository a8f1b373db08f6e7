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
        let done = Done.appended(count: receipts.count, position: last.position, repeated: last.repeated)
        return receipts.map { .receipt($0) } + [.done(done)]
    }
}
