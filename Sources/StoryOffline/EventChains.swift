import Glibc
import StoryCore
import StoryLog

/// The events of a log as linked lists, one for each stream: the first event of each stream, and the next event of each
/// event.
///
/// They take 16 bytes for each event and 12 for each stream; the memory is reserved at once and touched only where it
/// is used.
/// Unchecked `Sendable`: the marks below say which thread may call a function, and when.
final class EventChains: @unchecked Sendable {
    /// The last position that fits their 32-bit numbers.
    static let maxPosition = Position(UInt64(UInt32.max) - 1)

    /// The address of an event's record, and the next event of its stream.
    struct Link: BitwiseCopyable {
        var start: UnsafeRawPointer?
        var count: UInt32
        /// The position of the stream's next event, 0 for none; once the event is folded, the number of its category.
        var next: UInt32
    }

    /// The ends of a stream's list, and the stream's category.
    private struct Stream: BitwiseCopyable {
        /// The positions of the first event, and of the last event if it is another one; 0 for none.
        var first: UInt32
        var last: UInt32
        var category: UInt32
    }

    let through: Position
    private let links: UnsafeMutablePointer<Link>
    private let streams: UnsafeMutablePointer<Stream>
    private let (linkTable, streamTable): (ZeroedTable<Link>, ZeroedTable<Stream>)

    /// Allocates the lists; nil when there is not enough memory.
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

    /// Sets the first event of a stream; false when the stream has one, or its number exceeds the number of events.
    func begin(_ stream: UInt64, at position: Position, category: UInt32) -> Bool {
        guard stream > 0, stream <= through.value, streams[Int(stream)].first == 0 else { return false }
        streams[Int(stream)] = Stream(first: UInt32(truncatingIfNeeded: position.value), last: 0, category: category)
        return true
    }

    // MARK: After that, by one thread

    /// Appends an event to the list of its stream, in the order of positions; false when the stream has no earlier
    /// event.
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

    /// Returns the position of a stream's first event, and its category; nil when there is no such stream.
    func stream(_ number: UInt64) -> (first: UInt64, category: UInt32)? {
        let stream = streams[Int(number)]
        return stream.first > 0 ? (UInt64(stream.first), stream.category) : nil
    }

    /// Prefetches the first event of a stream that will be folded soon.
    func prefetch(_ number: UInt64) {
        guard number <= through.value, let stream = stream(number) else { return }
        record(at: stream.first)?.prefetch()
    }

    /// Returns the record at a position; nil when it has too few bytes.
    func record(at position: UInt64) -> StoredRecord? {
        let link = links + Int(position)
        return StoredRecord(UnsafeRawBufferPointer(start: link.pointee.start, count: Int(link.pointee.count)))
    }

    // MARK: By the one thread that has the stream

    /// Returns the position of the stream's next event, 0 after the last one; only before `leave` overwrites it.
    func next(after position: UInt64) -> UInt64 { UInt64(links[Int(position)].next) }

    /// Overwrites the link of an event with the number of its category, once the link was read.
    func leave(_ category: UInt64, at position: UInt64) {
        links[Int(position)].next = UInt32(truncatingIfNeeded: category)
    }

    // MARK: When all are folded, by any thread

    func category(at position: UInt64) -> Int { Int(links[Int(position)].next) }
}

/// A table of zeros that takes memory only where it is touched, in huge pages when the system has them.
///
/// The table of a long log is touched everywhere, and thousands of small pages would cost more than the writes
/// themselves. Unchecked `Sendable`: its owner defines which thread may touch which elements, and when.
final class ZeroedTable<Element: BitwiseCopyable>: @unchecked Sendable {
    let elements: UnsafeMutablePointer<Element>
    private let byteCount: Int

    /// Maps the table; nil when there is not enough memory.
    init?(count: Int) {
        byteCount = max(1, count) * MemoryLayout<Element>.stride
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        // When this fails, small pages are used.
        madvise(mapped, byteCount, MADV_HUGEPAGE)
        elements = mapped.bindMemory(to: Element.self, capacity: count)
    }

    deinit { munmap(elements, byteCount) }
}
