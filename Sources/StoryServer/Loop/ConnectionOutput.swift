import StoryCore

/// What one connection is told and was not sent yet: bytes, and marks at the ends of replies that wait for a commit.
///
/// The order is kept: what follows a reply that waits waits with it.
struct ConnectionOutput {
    /// The end of one or more replies that rest on the same position.
    private struct Mark {
        var end: Int
        let restsOn: Position
    }

    /// Replies as encoders write them; each that is whole is told to `close`.
    var bytes: [UInt8] = []
    /// How many of the bytes wait for no commit.
    private var free = 0
    private var marks: [Mark] = []

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }

    /// True when something waits for a commit.
    var isWaiting: Bool { !marks.isEmpty }

    /// What was written since the last call is whole, and rests on this position.
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

    /// Forgets the marks that wait no longer once this position is durable; returns how many bytes can be sent now.
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

    /// Takes storage that nobody needs, where it has none of its own.
    mutating func begin(in storage: inout [UInt8]) {
        if bytes.capacity == 0, storage.capacity > 0 { swap(&bytes, &storage) }
    }

    /// Leaves storage that is not needed to others, where they have none that is larger.
    ///
    /// - Parameters:
    ///   - kept: how many bytes of storage it may keep.
    ///   - most: how many bytes of storage are kept for others.
    mutating func leave(in storage: inout [UInt8], keeping kept: Int, atMost most: Int) {
        guard bytes.isEmpty, bytes.capacity > kept else { return }
        if bytes.capacity > storage.capacity, bytes.capacity <= most { swap(&bytes, &storage) }
        bytes = []
    }

    /// So many of the first bytes were sent.
    mutating func sent(_ count: Int, keepingCapacity: Bool) {
        if count == bytes.count {
            if keepingCapacity { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
            free = 0
            return
        }
        bytes.removeFirst(count)
        free -= count
        for index in marks.indices { marks[index].end -= count }
    }

    /// Everything is forgotten.
    mutating func removeAll() {
        bytes = []
        marks = []
        free = 0
    }

    /// Takes back each reply that rests on an event after this position; `refuse` writes what stands for it.
    mutating func rollBack(to durable: Position, _ refuse: (_ tag: Tag?, _ bytes: inout [UInt8]) -> Void) {
        guard !marks.isEmpty else { return }
        let old = bytes
        let oldMarks = marks
        bytes.removeSubrange(free...)
        marks.removeAll(keepingCapacity: true)
        var start = free
        for mark in oldMarks {
            let part = old[start..<mark.end]
            if mark.restsOn <= durable {
                bytes.append(contentsOf: part)
            } else {
                ClosingLines.forEach(in: part) { refuse($0, &bytes) }
            }
            start = mark.end
        }
        free = bytes.count
        // What is not whole yet belongs to an answer that is under way.
        bytes.append(contentsOf: old[start...])
    }

    /// Forgets what was written and is not whole.
    mutating func dropUnfinished() { bytes.removeSubrange((marks.last?.end ?? free)...) }
}

/// The lines that close replies, found again in what was written.
enum ClosingLines {
    /// Calls the body with the tag of each line that begins with `+` or `-`.
    static func forEach(in bytes: ArraySlice<UInt8>, _ body: (Tag?) -> Void) {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
            let line = bytes[start..<end]
            if line.first == 0x2B || line.first == 0x2D { body(tag(of: line)) }
            start = min(end + 1, bytes.endIndex)
        }
    }

    private static func tag(of line: ArraySlice<UInt8>) -> Tag? {
        let rest = line.dropFirst()
        guard rest.first == 0x40 else { return nil }
        return Tag(trusted: Array(rest.dropFirst().prefix { $0 != 0x20 }))
    }
}
