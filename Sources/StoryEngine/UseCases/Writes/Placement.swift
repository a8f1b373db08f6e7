import StoryCore
import StoryModels

/// Gives the events of an `APPEND *` their places behind what is in the log.
struct Placement {
    /// The last position in use.
    private(set) var head: Position
    /// The greatest stream number in use.
    private(set) var lastStream: StreamNumber
    /// When the events are written.
    let time: Instant

    init(after head: Position, _ lastStream: StreamNumber, at time: Instant) {
        self.head = head
        self.lastStream = lastStream
        self.time = time
    }

    /// The events of a write, in its order; a stream that is new gets the next number.
    /// - Parameter uid: of the process that writes.
    mutating func events(_ new: JointEvents, by uid: UInt32) -> [Event] {
        var numbers: [StreamNumber] = []
        var versions: [Version] = []
        for target in new.targets {
            let number = target.head?.number ?? StreamNumber(lastStream.value + 1)
            lastStream = max(lastStream, number)
            numbers.append(number)
            versions.append(target.head?.version ?? .zero)
        }
        var events: [Event] = []
        events.reserveCapacity(new.events.count)
        for proposal in new.events {
            let target = proposal.target
            head = head.next
            versions[target] = versions[target].next
            events.append(
                Event(
                    position: head, stream: new.targets[target].stream, streamNumber: numbers[target],
                    version: versions[target], time: time, by: uid, key: new.key, tags: proposal.event.tags,
                    meta: proposal.event.meta, body: proposal.event.body))
        }
        return events
    }
}
