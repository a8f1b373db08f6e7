package import StoryCore

/// A run of the keys of a set as it is stored: the value of an entry whose key is the first of them.
///
/// Neighbours in an index begin alike, so a key is written as how much of the one before it repeats, and the rest.
/// A segment begins with a whole key, and the block's end tells where each begins, so that nobody decodes or writes anew
/// more than it needs:
///
///     block:   segment … | where each segment begins, two bytes each | how many segments there are, two bytes
///     segment: up to 64 of: shared bytes, one byte | length of the rest, one byte, or 255 and two bytes | the rest
///
/// All numbers are little-endian.
package struct KeyBlock {
    /// The longest block, in bytes: what LMDB stores outside of its tree fills one page with it.
    static let capacity = 4_080
    /// The most keys that a segment has.
    static let mostKeys = 64
    /// How much of the key before one may repeat, in bytes.
    static let maxShared = 255

    package let segmentCount: Int
    private let bytes: UnsafeRawBufferPointer
    /// Where the segments end.
    private let end: Int

    /// - Throws: `corrupt` where the bytes cannot be a block.
    package init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard bytes.count > 4 else { throw KeyBlock.damaged }
        segmentCount = bytes.shortNumber(at: bytes.count - 2)
        end = bytes.count - 2 - 2 * segmentCount
        self.bytes = bytes
        guard segmentCount > 0, end > 0 else { throw KeyBlock.damaged }
    }

    /// Replaces `keys` by those of a segment.
    ///
    /// - Throws: `corrupt` where its bytes are no keys.
    package func decode(_ segment: Int, into keys: inout KeyList) throws(StorageError) {
        keys.clear()
        let bytes = try self.segment(segment)
        var offset = 0
        var last = 0
        while offset < bytes.count {
            let (shared, rest) = try KeyBlock.key(bytes, &offset)
            guard shared <= last else { throw KeyBlock.damaged }
            keys.add(rest, sharing: shared)
            last = shared + rest.count
        }
    }

    /// The bytes of a segment.
    ///
    /// - Throws: `corrupt` where it has none.
    func segment(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let start = try start(of: index)
        let end = index + 1 < segmentCount ? try self.start(of: index + 1) : end
        guard start < end else { throw KeyBlock.damaged }
        return bytes.slice(start, count: end - start)
    }

    /// The key that a segment begins with.
    ///
    /// - Throws: `corrupt` where it begins with none.
    package func firstKey(of segment: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        try KeyBlock.firstKey(of: self.segment(segment))
    }

    /// The key that a segment's bytes begin with.
    ///
    /// - Throws: `corrupt` where they begin with none.
    static func firstKey(of segment: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
        var offset = 0
        let (shared, rest) = try key(segment, &offset)
        guard shared == 0 else { throw damaged }
        return rest
    }

    /// The last segment that begins at or before a key, else the first one.
    ///
    /// - Throws: `corrupt` where a segment begins with no key.
    package func segment(at key: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        try lastSegment { Memory.compare($0, key) <= 0 }
    }

    /// The last segment that begins before a key, else the first one.
    ///
    /// - Throws: `corrupt` where a segment begins with no key.
    package func segment(before key: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        try lastSegment { Memory.compare($0, key) < 0 }
    }

    private func lastSegment(_ begins: (UnsafeRawBufferPointer) -> Bool) throws(StorageError) -> Int {
        var (lower, upper) = (0, segmentCount)
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if begins(try firstKey(of: middle)) { lower = middle } else { upper = middle }
        }
        return lower
    }

    /// Reads a key of a segment and moves behind it.
    private static func key(
        _ segment: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(StorageError) -> (shared: Int, rest: UnsafeRawBufferPointer) {
        guard segment.count - offset > 2 else { throw damaged }
        let shared = Int(segment[offset])
        var count = Int(segment[offset + 1])
        offset += 2
        if count == 255 {
            guard segment.count - offset > 2 else { throw damaged }
            count = segment.shortNumber(at: offset)
            offset += 2
        }
        guard count > 0, count <= segment.count - offset else { throw damaged }
        defer { offset += count }
        return (shared, segment.slice(offset, count: count))
    }

    private func start(of segment: Int) throws(StorageError) -> Int {
        let start = bytes.shortNumber(at: end + 2 * segment)
        guard start < end else { throw KeyBlock.damaged }
        return start
    }

    private static let damaged = StorageError.corrupt("a block of keys in the read models is damaged", at: nil)
}

/// The segments that a block is made of, as they are written.
package struct KeySegments: ~Copyable {
    private var bytes = KeyBuffer(capacity: KeyBlock.capacity)
    /// Where each of them ends.
    private var ends: [Int] = []

    package init() {}

    package var count: Int { ends.count }

    /// The bytes of a segment, which die with the next change.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return bytes.bytes.slice(start, count: ends[index] - start)
    }

    mutating func clear() {
        bytes.clear()
        ends.removeAll(keepingCapacity: true)
    }

    /// Adds a segment as it was written before.
    mutating func add(written segment: UnsafeRawBufferPointer) {
        bytes.add(segment)
        ends.append(bytes.count)
    }

    /// Adds keys: as one segment where they are not too many, else as several.
    package mutating func add(_ keys: borrowing KeyList, _ range: Range<Int>) {
        var start = range.lowerBound
        while start < range.upperBound {
            let left = range.upperBound - start
            let count = left <= KeyBlock.mostKeys ? left : KeyBlock.mostKeys / 2
            addSegment(keys, start..<start + count)
            start += count
        }
    }

    /// A block of some of the segments, which dies with the next change of `block`.
    package func write(_ range: Range<Int>, to block: inout KeyBuffer) {
        block.clear()
        for index in range { block.add(self[index]) }
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        for index in range { block.add(short: (index == 0 ? 0 : ends[index - 1]) - start) }
        block.add(short: range.count)
    }

    private mutating func addSegment(_ keys: borrowing KeyList, _ range: Range<Int>) {
        for index in range {
            let key = keys[index]
            let isFirst = index == range.lowerBound
            let shared = isFirst ? 0 : min(key.commonCount(with: keys[index - 1]), KeyBlock.maxShared)
            let rest = key.count - shared
            bytes.add(UInt8(truncatingIfNeeded: shared))
            bytes.add(UInt8(min(rest, 255)))
            if rest >= 255 { bytes.add(short: rest) }
            bytes.add(key.slice(shared, count: rest))
        }
        ends.append(bytes.count)
    }
}

extension KeyBuffer {
    /// Adds the lower two bytes of a number, the lowest first.
    fileprivate mutating func add(short value: Int) {
        add(UInt8(truncatingIfNeeded: value))
        add(UInt8(truncatingIfNeeded: value >> 8))
    }
}

extension UnsafeRawBufferPointer {
    /// How many bytes both begin with.
    fileprivate func commonCount(with other: UnsafeRawBufferPointer) -> Int {
        let limit = Swift.min(count, other.count)
        var index = 0
        while index + 8 <= limit {
            let difference =
                loadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if difference != 0 { return index + UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
            index += 8
        }
        while index < limit, self[index] == other[index] { index += 1 }
        return index
    }

    /// The two-byte number at an offset that lies within the bytes.
    fileprivate func shortNumber(at offset: Int) -> Int {
        Int(UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }
}
