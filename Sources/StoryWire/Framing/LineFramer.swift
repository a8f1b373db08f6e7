import CSimdJSON

/// What a framer has to give.
package enum FramedLine {
    /// No whole line is there.
    case needBytes
    /// A line without its LF, with `LineFramer.slack` readable bytes behind it; good until the framer's next input.
    case line(UnsafeRawBufferPointer)
    /// More bytes than the limit without an LF: nothing after this is kept.
    case lineTooLong
}

/// Cuts what a socket gives into lines. Knows bytes only; a line is what stands before an LF.
package struct LineFramer: ~Copyable {
    /// How many bytes behind a line may be read, for scanners that look at whole blocks.
    package static let slack = 64
    /// How much storage an idle connection keeps, in bytes.
    package static let idleCapacity = 65_536
    private static let firstCapacity = 4_096

    /// The longest line, in bytes, its LF not counted.
    package let limit: Int

    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    /// The bytes that are not yet taken are `start..<end`.
    private var start = 0
    private var end = 0
    /// Up to here the bytes from `start` on hold no LF, so far as `lineEnd` is nil.
    private var searched = 0
    private var lineEnd: Int?
    /// Where the line began that was taken last.
    private var lineStart = 0
    private var isTooLong = false
    /// How many bytes of a line that is too long are kept: enough for its tag.
    private static let openingCount = 64
    /// The first bytes of the line that was too long; none before that.
    private(set) var opening: [UInt8] = []

    package init(limit: Int) { self.limit = limit }

    deinit { storage?.deallocate() }

    /// Takes up what was read. After `lineTooLong` it takes up nothing more.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isTooLong, let source = bytes.baseAddress, bytes.count > 0 else { return }
        makeRoom(for: bytes.count)
        guard let storage else { return }
        (storage + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
        if lineEnd == nil { search() }
    }

    /// Takes the next whole line.
    ///
    /// - Returns: a line that is lent until bytes are appended.
    package mutating func next() -> FramedLine {
        guard !isTooLong else { return .lineTooLong }
        guard let lineEnd, let storage else {
            releaseWhenDrained()
            return .needBytes
        }
        let line = UnsafeRawBufferPointer(start: storage + start, count: lineEnd - start)
        lineStart = start
        start = lineEnd + 1
        searched = start
        search()
        return .line(line)
    }

    /// The line that was taken last is the next one again; called right after `next`.
    mutating func putBack() {
        lineEnd = start - 1
        start = lineStart
    }

    /// True when `next` has something else to give than `needBytes`.
    package var hasLine: Bool { lineEnd != nil || isTooLong }

    /// How many bytes are there that were not yet taken.
    package var bufferedCount: Int { end - start }

    /// How much storage is held, in bytes.
    package var storageCount: Int { capacity }

    /// Forgets what is there, and gives its storage back; no line may be lent.
    package mutating func discard() {
        (start, end, searched, lineStart, lineEnd) = (0, 0, 0, 0, nil)
        storage?.deallocate()
        storage = nil
        capacity = 0
    }

    /// Looks for the next LF in what was not yet looked at.
    private mutating func search() {
        lineEnd = nil
        guard let storage else { return }
        let index = searched + csj_find_byte(storage + searched, 0x0A, end - searched)
        if index < end { lineEnd = index }
        searched = end
        if (lineEnd ?? end) - start > limit { refuse() }
    }

    private mutating func refuse() {
        isTooLong = true
        if let storage {
            opening = Array(
                UnsafeRawBufferPointer(start: storage + start, count: min(end - start, LineFramer.openingCount)))
        }
        lineEnd = nil
        start = end
    }

    /// Makes room behind `end`, with the slack after it: by moving what is there to the front, else by growing.
    private mutating func makeRoom(for count: Int) {
        guard end + count + LineFramer.slack > capacity else { return }
        let needed = end - start + count + LineFramer.slack
        if needed > capacity {
            grow(to: max(needed, min(capacity * 2, limit + LineFramer.idleCapacity), LineFramer.firstCapacity))
        } else if let storage {
            storage.copyMemory(from: storage + start, byteCount: end - start)
        }
        moveIndexesToFront()
    }

    private mutating func grow(to count: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
        if let storage {
            larger.copyMemory(from: storage + start, byteCount: end - start)
            storage.deallocate()
        }
        storage = larger
        capacity = count
    }

    private mutating func moveIndexesToFront() {
        end -= start
        searched -= start
        if let found = lineEnd { lineEnd = found - start }
        start = 0
    }

    private mutating func releaseWhenDrained() {
        guard start == end else { return }
        if capacity > LineFramer.idleCapacity { discard() } else { moveIndexesToFront() }
    }
}
