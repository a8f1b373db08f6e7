import StoryCore
import StoryLog

/// Where every event of a log lies, stream by stream: the first event of each, and of each event the next one.
///
/// Sixteen bytes an event and twelve a stream, allocated at once and touched only where they are used.
/// Unchecked: see who may call what when.
final class EventChains: @unchecked Sendable {
    /// The longest log that its numbers have room for.
    static let maxPosition = Position(UInt64(UInt32.max) - 1)

    /// Where an event lies, and what comes behind it in its stream.
    struct Link: BitwiseCopyable {
        var start: UnsafeRawPointer?
        var count: UInt32
        /// The position of the stream's next event, 0: none; once the event is folded, the number of its category.
        var next: UInt32
    }

    private struct Stream: BitwiseCopyable {
        /// The positions of the first event and of the last but for the first; 0: none.
        var first: UInt32
        var last: UInt32
        var category: UInt32
    }

    let through: Position
    private let links: UnsafeMutablePointer<Link>
    private let streams: UnsafeMutablePointer<Stream>
    private let (linkTable, streamTable): (ZeroedTable<Link>, ZeroedTable<Stream>)

    /// Nil when there is no memory.
    init?(through: Position) {
        let count = Int(through.value) + 1
        guard let links = ZeroedTable<Link>(count: count), let streams = ZeroedTable<Stream>(count: count) else {
            return nil
        }
        self.through = through
        (linkTable, streamTable) = (links, streams)
        self.links = links.elements
        self.streams = streams.elements
    }

    // MARK: While the log is read, by any thread for positions of its own

    func put(_ record: StoredRecord, at position: Position) {
        links[Int(position.value)] = Link(start: record.start, count: UInt32(clamping: record.count), next: 0)
    }

    /// The first event of a stream. False when the stream has one, or there cannot be so many.
    func begin(_ stream: UInt64, at position: Position, category: UInt32) -> Bool {
        guard stream > 0, stream <= through.value, streams[Int(stream)].first == 0 else { return false }
        streams[Int(stream)] = Stream(first: UInt32(truncatingIfNeeded: position.value), last: 0, category: category)
        return true
    }

    // MARK: After that, by one thread

    /// Chains an event to those before it; they come in the order of their positions. False when there are none.
    func chain(_ position: UInt32, to stream: UInt64) -> Bool {
        guard stream > 0, stream <= through.value else { return false }
        let chain = streams + Int(stream)
        let before = max(chain.pointee.first, chain.pointee.last)
        guard chain.pointee.first > 0, before < position else { return false }
        links[Int(before)].next = position
        chain.pointee.last = position
        return true
    }

    // MARK: When all are chained, by any thread

    /// The position of a stream's first event, and its category; nil when there is no such stream.
    func stream(_ number: UInt64) -> (first: UInt64, category: UInt32)? {
        let stream = streams[Int(number)]
        return stream.first > 0 ? (UInt64(stream.first), stream.category) : nil
    }

    /// Asks for the first event of a stream, which will be read soon.
    func prefetch(_ number: UInt64) {
        guard number <= through.value, let stream = stream(number) else { return }
        record(at: stream.first)?.prefetch()
    }

    /// What lies at a position.
    func record(at position: UInt64) -> StoredRecord? {
        let link = links + Int(position)
        return StoredRecord(UnsafeRawBufferPointer(start: link.pointee.start, count: Int(link.pointee.count)))
    }

    // MARK: By the one thread that has the stream

    /// The position of the stream's next event, until the category is left in its place; 0 behind the last one.
    func next(after position: UInt64) -> UInt64 { UInt64(links[Int(position)].next) }

    /// Leaves the number of its category at an event, whose next one was read.
    func leave(_ category: UInt64, at position: UInt64) {
        links[Int(position)].next = UInt32(truncatingIfNeeded: category)
    }

    // MARK: When all are folded, by any thread

    func category(at position: UInt64) -> Int { Int(links[Int(position)].next) }
}
