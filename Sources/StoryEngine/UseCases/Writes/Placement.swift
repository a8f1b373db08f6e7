import StoryCore
import StoryFold

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
