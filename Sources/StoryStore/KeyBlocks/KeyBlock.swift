package import StoryFold
package import StoryCore

/// A block of a set's keys as it is stored: the value of an entry whose key is the first of them.
///
/// Adjacent keys of an index begin alike, so a block uses prefix compression: a key is stored as the number of bytes
/// that it shares with the one before, and the rest. A segment begins with a whole key, and the offsets of the segments
/// are at the block's end, so that only the segments in question are decoded or rewritten:
///
///     block:   segment … | the offset of each segment, two bytes each | the number of segments, two bytes
///     segment: up to 64 of: shared bytes, one byte | length of the rest, one byte, or 255 and two bytes | the rest
///
/// All numbers are little-endian.
package struct KeyBlock {
    /// The longest block, in bytes: as an overflow value of LMDB it fills one page.
    static let capacity = 4_080
    /// The most keys that a segment has.
    static let mostKeys = 64
    /// The most bytes that a key shares with the one before.
    static let maxShared = 255

    /// The number of segments.
    package let segmentCount: Int
    private let bytes: UnsafeRawBufferPointer
    /// The offset at which the segments end.
    private let end: Int

    /// Reads the number of segments of a block.
    ///
    /// - Throws: `corrupt` where the bytes cannot be a block.
    package init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard bytes.count > 4 else { throw KeyBlock.damaged }
        segmentCount = Int(bytes.number(at: bytes.count - 2, as: UInt16.self))
        end = bytes.count - 2 - 2 * segmentCount
        self.bytes = bytes
        guard segmentCount > 0, end > 0 else { throw KeyBlock.damaged }
    }

    /// Replaces `keys` with the keys of a segment.
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

    /// Returns the bytes of a segment.
    ///
    /// - Throws: `corrupt` where it has none.
    func segment(_ index: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        let start = try start(of: index)
        let end = index + 1 < segmentCount ? try self.start(of: index + 1) : end
        guard start < end else { throw KeyBlock.damaged }
        return bytes.slice(start, count: end - start)
    }

    /// Returns the first key of a segment.
    ///
    /// - Throws: `corrupt` where it begins with none.
    package func firstKey(of segment: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        try KeyBlock.firstKey(of: self.segment(segment))
    }

    /// Returns the first key in the bytes of a segment.
    ///
    /// - Throws: `corrupt` where they begin with none.
    static func firstKey(of segment: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
        var offset = 0
        let (shared, rest) = try key(segment, &offset)
        guard shared == 0 else { throw damaged }
        return rest
    }

    /// Returns the last segment that begins at or before a key, otherwise the first one.
    ///
    /// - Throws: `corrupt` where a segment begins with no key.
    package func segment(at key: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        try lastSegment { $0.compare(key) <= 0 }
    }

    /// Returns the last segment that begins before a key, otherwise the first one.
    ///
    /// - Throws: `corrupt` where a segment begins with no key.
    package func segment(before key: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        try lastSegment { $0.compare(key) < 0 }
    }

    private func lastSegment(_ begins: (UnsafeRawBufferPointer) -> Bool) throws(StorageError) -> Int {
        try (1..<segmentCount).partitionPoint { (index) throws(StorageError) in begins(try firstKey(of: index)) } - 1
    }

    /// Reads a key of a segment and moves the offset past it.
    private static func key(
        _ segment: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(StorageError) -> (shared: Int, rest: UnsafeRawBufferPointer) {
        guard segment.count - offset > 2 else { throw damaged }
        let shared = Int(segment[offset])
        var count = Int(segment[offset + 1])
        offset += 2
        if count == 255 {
            guard segment.count - offset > 2 else { throw damaged }
            count = Int(segment.number(at: offset, as: UInt16.self))
            offset += 2
        }
        guard count > 0, count <= segment.count - offset else { throw damaged }
        defer { offset += count }
        return (shared, segment.slice(offset, count: count))
    }

    private func start(of segment: Int) throws(StorageError) -> Int {
        let start = Int(bytes.number(at: end + 2 * segment, as: UInt16.self))
        guard start < end else { throw KeyBlock.damaged }
        return start
    }

    private static let damaged = StorageError.corrupt("a block of keys in the read models is damaged", at: nil)
}

/// The encoded segments of a block that is being written.
package struct KeySegments: ~Copyable {
    private var bytes = KeyBuffer(capacity: KeyBlock.capacity)
    /// The end offset of each segment.
    private var ends: [Int] = []

    /// Creates an empty list of segments.
    package init() {}

    /// The number of segments.
    package var count: Int { ends.count }

    /// The bytes of a segment; valid until the next change.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return bytes.bytes.slice(start, count: ends[index] - start)
    }

    mutating func clear() {
        bytes.clear()
        ends.removeAll(keepingCapacity: true)
    }

    /// Adds a segment that is encoded already.
    mutating func add(written segment: UnsafeRawBufferPointer) {
        bytes.add(segment)
        ends.append(bytes.count)
    }

    /// Adds keys as one segment or, where they are more than `KeyBlock.mostKeys`, as several.
    package mutating func add(_ keys: borrowing KeyList, _ range: Range<Int>) {
        var start = range.lowerBound
        while start < range.upperBound {
            let left = range.upperBound - start
            let count = left <= KeyBlock.mostKeys ? left : KeyBlock.mostKeys / 2
            addSegment(keys, start..<start + count)
            start += count
        }
    }

    /// Replaces `block` with a block of some of the segments.
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
    /// Returns the number of bytes that both begin with.
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
}
