import CSimdJSON

/// The next output of a framer.
package enum FramedLine {
    /// There is no whole line.
    case needBytes
    /// A line without its LF, followed by `LineFramer.slack` readable bytes; it is valid until the framer's next input.
    case line(UnsafeRawBufferPointer)
    /// The line exceeds the limit without an LF: no further input is kept.
    case lineTooLong
}

/// A buffer that splits a byte stream into lines that end with an LF. It knows nothing of their content.
package struct LineFramer: ~Copyable {
    /// The number of readable bytes behind a line, for scanners that read whole vectors.
    package static let slack = 64
    /// The most storage that an idle connection keeps, in bytes.
    package static let idleCapacity = 65_536
    private static let firstCapacity = 4_096

    /// The longest line in bytes, without its LF.
    package let limit: Int

    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    /// The buffered bytes that were not taken yet are `start..<end`.
    private var start = 0
    private var end = 0
    /// The end of the bytes that were searched for an LF: `start..<searched` has none if `lineEnd` is nil.
    private var searched = 0
    private var lineEnd: Int?
    /// The line that was taken last, without its LF.
    private var taken = 0..<0
    private var isTooLong = false
    /// The number of bytes that are kept of a line that is too long: enough for its tag.
    private static let openingCount = 64
    /// The first bytes of the line that was too long; empty before that.
    private(set) var opening: [UInt8] = []

    /// Creates a framer without storage.
    ///
    /// - Parameter limit: the longest line in bytes, without its LF.
    package init(limit: Int) { self.limit = limit }

    deinit { storage?.deallocate() }

    /// Appends received bytes; after `lineTooLong` they are dropped.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isTooLong, let source = bytes.baseAddress, bytes.count > 0 else { return }
        ensureCapacity(for: bytes.count)
        guard let storage else { return }
        (storage + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
        if lineEnd == nil { search() }
    }

    /// Takes the next whole line.
    ///
    /// - Returns: a line that is valid until bytes are appended.
    package mutating func next() -> FramedLine {
        guard !isTooLong else { return .lineTooLong }
        guard let lineEnd, let storage else {
            releaseWhenDrained()
            return .needBytes
        }
        let line = UnsafeRawBufferPointer(start: storage + start, count: lineEnd - start)
        taken = start..<lineEnd
        start = lineEnd + 1
        searched = start
        search()
        return .line(line)
    }

    /// Puts back the line that was taken last; called right after `next`.
    mutating func putBack() {
        (start, lineEnd) = (taken.lowerBound, taken.upperBound)
        // The line behind it is looked at again when this one is taken.
        (isTooLong, opening) = (false, [])
    }

    /// True if `next` would return anything but `needBytes`.
    package var hasLine: Bool { lineEnd != nil || isTooLong }

    /// The number of buffered bytes that were not taken yet.
    package var bufferedCount: Int { end - start }

    /// The size of the storage in bytes.
    package var storageCount: Int { capacity }

    /// Begins with another stream of bytes, as if this were a new framer; frees the storage.
    ///
    /// A new framer is never assigned to the property of an old one: the release build of Swift 6.3 does not destroy a
    /// noncopyable value of another module that is replaced so, where it has more than a few words and is not optional.
    /// Its storage would stay for good.
    package mutating func restart() {
        discard()
        (isTooLong, opening) = (false, [])
    }

    /// Drops the buffered bytes and frees the storage; lines that were taken become invalid.
    package mutating func discard() {
        (start, end, searched, taken, lineEnd) = (0, 0, 0, 0..<0, nil)
        storage?.deallocate()
        storage = nil
        capacity = 0
    }

    /// Searches the new bytes for the next LF.
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

    /// Makes room for `count` bytes and the slack behind `end`: moves the buffered bytes to the front, or grows.
    private mutating func ensureCapacity(for count: Int) {
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
