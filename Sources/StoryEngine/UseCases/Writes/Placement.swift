import StoryCore
import StoryModels

/// The numbering of the events of an `APPEND *`: assigns positions and versions after the end of the log.
struct Placement {
    /// The last position in use.
    private var head: Position
    /// The greatest stream number in use: a new stream gets the next one.
    private(set) var lastStream: StreamNumber
    /// The number and the last version of each stream that is appended to.
    private var numbers: [StreamNumber] = []
    private var versions: [Version] = []

    init(of new: JointEvents, after head: Position, _ lastStream: StreamNumber) {
        self.head = head
        self.lastStream = lastStream
        for target in new.targets {
            let number = target.head?.number ?? StreamNumber(self.lastStream.value + 1)
            self.lastStream = max(self.lastStream, number)
            numbers.append(number)
            versions.append(target.head?.version ?? .zero)
        }
    }

    /// Returns the metadata of the write's next event.
    ///
    /// - Parameters:
    ///   - target: the index of the stream that it is for.
    ///   - uid: the user ID of the process that writes.
    mutating func next(for target: Int, at time: Instant, by uid: UInt32) -> EventMetadata {
        head = head.next
        versions[target] = versions[target].next
        return EventMetadata(
            position: head, streamNumber: numbers[target], version: versions[target], time: time, by: uid)
    }
}
