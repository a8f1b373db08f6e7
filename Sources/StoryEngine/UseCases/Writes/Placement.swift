import StoryCore
import StoryModels

/// The numbering of the events of an `APPEND *`: assigns positions and versions after the end of the log.
struct Placement {
    /// The last position in use.
    private var head: Position
    /// The greatest stream number in use: a new stream gets the next one.
    private(set) var lastStream: StreamNumber
    /// The head of each stream that is appended to; of version zero for a new one.
    private var heads: [StreamHead] = []

    init(of new: JointEvents, after head: Position, _ lastStream: StreamNumber) {
        self.head = head
        self.lastStream = lastStream
        for target in new.targets {
            let number = StreamNumber(self.lastStream.value + 1)
            let head = target.head ?? StreamHead(number: number, version: .zero, position: .zero)
            self.lastStream = max(self.lastStream, head.number)
            heads.append(head)
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
