import StoryCore
import StoryWire

/// The unsent output of one connection: bytes, and marks at the ends of replies that wait for a commit.
///
/// The order is kept: output after a reply that waits is held back with it.
struct ConnectionOutput: ~Copyable {
    /// The end of one or more replies that depend on the same position.
    private struct Mark {
        var end: Int
        let restsOn: Position
    }

    /// The replies as the encoders write them; `close` is called after each complete one.
    var bytes = ByteWriter()
    /// The number of leading bytes that wait for no commit.
    private var free = 0
    private var marks: [Mark] = []

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    /// The capacity of the storage, in bytes.
    var storageCount: Int { bytes.capacity }

    /// True when a reply waits for a commit.
    var isWaiting: Bool { !marks.isEmpty }

    /// Marks the bytes written since the last call as complete, and dependent on a position.
    @inline(__always)
    mutating func close(restsOn position: Position, durable: Position) {
        guard position > durable || !marks.isEmpty else {
            free = bytes.count
            return
        }
        if let last = marks.indices.last, marks[last].restsOn == position {
            marks[last].end = bytes.count
        } else {
            marks.append(Mark(end: bytes.count, restsOn: position))
        }
    }

    /// Removes the marks through a durable position; returns the number of bytes that can be sent now.
    mutating func release(through durable: Position) -> Int {
        guard !marks.isEmpty else { return free }
        var over = 0
        while over < marks.count, marks[over].restsOn <= durable {
            free = marks[over].end
            over += 1
        }
        marks.removeFirst(over)
        return free
    }

    /// Takes over spare storage, where it has none of its own.
    mutating func begin(in storage: inout ByteWriter) {
        if bytes.capacity == 0, storage.capacity > 0 { swap(&bytes, &storage) }
    }

    /// Gives up its storage where it is empty and not needed; the largest becomes the spare of others.
    ///
    /// - Parameters:
    ///   - kept: the bytes of storage that the connection may keep.
    ///   - most: the largest storage to become the spare, in bytes.
    mutating func leave(in storage: inout ByteWriter, keeping kept: Int, atMost most: Int) {
        guard bytes.isEmpty, bytes.capacity > kept else { return }
        if bytes.capacity > storage.capacity, bytes.capacity <= most { swap(&bytes, &storage) }
        bytes = ByteWriter()
    }

    /// Removes the first bytes, which were sent.
    mutating func sent(_ count: Int, keepingCapacity: Bool) {
        if count == bytes.count {
            if keepingCapacity { bytes.removeAll() } else { bytes = ByteWriter() }
            free = 0
            return
        }
        bytes.removeFirst(count)
        free -= count
        for index in marks.indices { marks[index].end -= count }
    }

    /// Removes everything.
    mutating func removeAll() {
        bytes = ByteWriter()
        marks = []
        free = 0
    }

    /// Replaces each reply that depends on an event after this position. Pushes stay: they rest on durable events.
    ///
    /// - Parameters:
    ///   - durable: the last event that is not undone.
    ///   - refuse: writes the refusal for a reply with this tag, which depends on the event at this position.
    mutating func rollBack(to durable: Position, _ refuse: (Tag?, Position, inout ByteWriter) -> Void) {
        guard !marks.isEmpty else { return }
        var output = ByteWriter()
        swap(&bytes, &output)
        defer { withExtendedLifetime(output) {} }
        let (old, oldMarks) = (output.written, marks)
        bytes.raw(old.slice(0, count: free))
        marks.removeAll(keepingCapacity: true)
        var start = free
        for mark in oldMarks {
            let part = old.slice(start, count: mark.end - start)
            if mark.restsOn <= durable {
                bytes.raw(part)
            } else {
                refuseReplies(in: part, restsOn: mark.restsOn, refuse)
            }
            start = mark.end
        }
        free = bytes.count
        // The bytes after the last mark belong to an answer in progress.
        bytes.raw(old.slice(start, count: old.count - start))
    }

    /// Has each reply in undone output refused, and keeps the pushes.
    private mutating func refuseReplies(
        in part: UnsafeRawBufferPointer, restsOn position: Position,
        _ refuse: (Tag?, Position, inout ByteWriter) -> Void
    ) {
        var start = part.startIndex
        while start < part.endIndex {
            let end = part[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? part.endIndex
            let line = UnsafeRawBufferPointer(rebasing: part[start..<end])
            switch line.first {
            case 0x2B, 0x2D: refuse(ConnectionOutput.tag(of: line), position, &bytes)
            case 0x3E: bytes.raw(line)
            default: break
            }
            start = end
        }
    }

    private static func tag(of line: UnsafeRawBufferPointer) -> Tag? {
        let rest = line.dropFirst()
        guard rest.first == 0x40 else { return nil }
        return Tag(trusted: Array(rest.dropFirst().prefix { $0 != 0x20 && $0 != 0x0A }))
    }

    /// Removes the bytes after the last complete reply.
    mutating func dropUnfinished() { bytes.truncate(to: marks.last?.end ?? free) }
}
