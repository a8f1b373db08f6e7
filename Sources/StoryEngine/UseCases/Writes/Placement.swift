import StoryCore
import StoryModels

/// Gives the events of an `APPEND *` their places behind what is in the log.
struct Placement {
    /// The last position in use.
    private var head: Position
    /// The greatest stream number in use: a stream that is new has the next one.
    private(set) var lastStream: StreamNumber
    /// Of the streams that are appended to: their numbers, and how far each is.
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

    /// The place of the write's next event.
    ///
    /// - Parameters:
    ///   - target: which of the streams it is for.
    ///   - uid: of the process that writes.
    mutating func next(for target: Int, at time: Instant, by uid: UInt32) -> EventPlace {
        head = head.next
        versions[target] = versions[target].next
        return EventPlace(
            position: head, streamNumber: numbers[target], version: versions[target], time: time, by: uid)
    }
}
