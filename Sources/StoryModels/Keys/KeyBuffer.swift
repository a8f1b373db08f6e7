package import StoryCore

/// Memory that keys and values are written in, again and again, so that an entry costs no allocation.
package struct KeyBuffer: ~Copyable {
    /// How long a key may be: LMDB takes no longer ones.
    package static let keyLength = 1...511
    /// Behind what is written there is always room for a word.
    private static let slack = 16

    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    package private(set) var count = 0

    package init(capacity: Int = 512) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity + KeyBuffer.slack, alignment: 16)
    }

    deinit { start.deallocate() }

    /// What was written; it dies with the next change.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Where the byte with this offset lies; it moves with the next change.
    func address(at offset: Int) -> UnsafeRawPointer { UnsafeRawPointer(start + offset) }

    /// True when a store takes what was written as a key.
    package var isKey: Bool { KeyBuffer.keyLength.contains(count) }

    package mutating func clear() { count = 0 }

    package mutating func add(_ byte: UInt8) {
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        advance(1)
    }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if count + bytes.count > capacity { grow(count + bytes.count) }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Adds some of the bytes of another buffer.
    mutating func add(_ other: borrowing KeyBuffer, from offset: Int, count added: Int) {
        if count + added > capacity { grow(count + added) }
        let (source, target) = (other.start + offset, start + count)
        // Most are short. Behind both there is room for so much.
        if added <= KeyBuffer.slack {
            target.storeBytes(of: source.loadUnaligned(as: SIMD2<UInt64>.self), as: SIMD2<UInt64>.self)
        } else {
            target.copyMemory(from: source, byteCount: added)
        }
        count += added
    }

    /// Adds the lower six bytes of a number, the highest first.
    package mutating func add48(_ value: UInt64) {
        start.storeBytes(of: (value << 16).bigEndian, toByteOffset: count, as: UInt64.self)
        advance(6)
    }

    /// Makes it one number of six bytes.
    package mutating func set(_ number: UInt64) {
        clear()
        add48(number)
    }

    /// Makes it two numbers of six bytes.
    package mutating func set(_ first: UInt64, _ second: UInt64) {
        set(first)
        add48(second)
    }

    /// Makes it these bytes.
    package mutating func set(_ whole: UnsafeRawBufferPointer) {
        clear()
        add(whole)
    }

    /// Makes it the key of a row: the length of its ID before the ID, so that IDs that are counted up grow at the end.
    package mutating func setRowKey(_ id: UnsafeRawBufferPointer) {
        clear()
        _ = addRowKey(id)
    }

    /// Adds the key of a row.
    mutating func addRowKey(_ id: UnsafeRawBufferPointer) -> Bool {
        add(UInt8(truncatingIfNeeded: id.count))
        add(id)
        return true
    }

    /// Takes away what was written behind the first so many bytes.
    mutating func cut(to count: Int) { self.count = count }

    /// Room for a record of so many bytes, all of which the caller writes.
    mutating func makeRoom(_ count: Int) -> UnsafeMutableRawPointer {
        if count > capacity { grow(count) }
        self.count = count
        return start
    }

    private mutating func advance(_ written: Int) {
        count += written
        if count > capacity { grow(count) }
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        let wanted = max(needed, capacity * 2)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: wanted + KeyBuffer.slack, alignment: 16)
        grown.copyMemory(from: start, byteCount: min(count, capacity + KeyBuffer.slack))
        start.deallocate()
        start = grown
        capacity = wanted
    }
}

/// The parts of keys, whose byte order is the order that lists want. Each part tells by itself where it ends.
extension KeyBuffer {
    /// How many bytes of a text sorting looks at (SPEC §3).
    package static let textPrefix = 200

    /// An ID, ended by a zero byte, which sorts before every other.
    package mutating func addName(_ name: UnsafeRawBufferPointer) {
        add(name)
        add(0)
    }

    /// Two names, the same whichever comes first.
    package mutating func addPair(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) {
        let isOrdered = one.precedes(other)
        addName(isOrdered ? one : other)
        addName(isOrdered ? other : one)
    }

    /// The first 200 bytes of a text. A zero byte inside becomes 00 FF, and 00 00 ends the text, so that a text
    /// stands before every longer one that begins with it.
    package mutating func addText(_ text: UnsafeRawBufferPointer, isFolded: Bool) {
        let text = text.slice(0, count: min(text.count, KeyBuffer.textPrefix))
        if Memory.contains(0, text) {
            for byte in text {
                add(isFolded ? byte.folded : byte)
                if byte == 0 { add(0xFF) }
            }
        } else if isFolded {
            addFolded(text)
        } else {
            add(text)
        }
        add(0)
        add(0)
    }

    /// All of a text with its ASCII letters in lower case.
    package mutating func addFolded(_ text: UnsafeRawBufferPointer) {
        let first = count
        add(text)
        let added = UnsafeMutableRawBufferPointer(start: start + first, count: count - first)
        for index in added.indices { added[index] = added[index].folded }
    }

    /// A whole number in its order: a byte that says how many bytes follow, below 128 for negative ones.
    package mutating func addInteger(_ value: Int64) {
        let size = (71 - (value < 0 ? ~value : value).leadingZeroBitCount) / 8
        add(value < 0 ? 0x7F - UInt8(size) : 0x80 + UInt8(size))
        for index in (0..<size).reversed() { add(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
    }

    /// A moment in its order: six bytes between the years −2490 and 6429, fourteen outside.
    package mutating func addDate(_ date: Instant) {
        let bound: Int64 = 1 << 47
        let value = date.milliseconds
        add48(UInt64(bitPattern: min(max(value, -bound), bound - 1) + bound))
        if value <= -bound || value >= bound - 1 { addOrdered(UInt64(bitPattern: value) ^ (1 << 63)) }
    }

    /// A double in its order; −0 and 0 are one.
    package mutating func addDouble(_ value: Double) {
        let bits = (value == 0 ? 0 : value).bitPattern
        addOrdered(bits >> 63 == 1 ? ~bits : bits | (1 << 63))
    }

    /// Eight bytes, the highest first.
    package mutating func addOrdered(_ value: UInt64) {
        start.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
        advance(8)
    }
}

extension UInt8 {
    /// An ASCII letter in lower case; any other byte as it is.
    package var folded: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
