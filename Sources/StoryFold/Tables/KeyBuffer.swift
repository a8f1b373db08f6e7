package import StoryCore

/// A reusable buffer that keys and values are written to, so that an entry costs no allocation.
@usableFromInline
package struct KeyBuffer: ~Copyable {
    /// The length of a key in bytes; LMDB accepts no longer ones.
    package static let keyLength = 1...511
    /// The spare bytes past the capacity, so that up to 16 bytes are stored without a check of the bounds.
    @usableFromInline static var slack: Int { 16 }

    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    /// The number of bytes written.
    @usableFromInline package internal(set) var count = 0

    /// Creates an empty buffer with a capacity in bytes.
    package init(capacity: Int = 512) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity + KeyBuffer.slack, alignment: 16)
    }

    deinit { start.deallocate() }

    /// The bytes written; valid until the next change.
    @inlinable package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Returns the address of the byte at an offset; valid until the next change.
    @inlinable package func address(at offset: Int) -> UnsafeRawPointer { UnsafeRawPointer(start + offset) }

    /// True when the bytes have the length of a key.
    package var isKey: Bool { KeyBuffer.keyLength.contains(count) }

    /// Removes all bytes but keeps the memory.
    @inlinable package mutating func clear() { count = 0 }

    /// Adds a byte.
    @inlinable
    package mutating func add(_ byte: UInt8) {
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        advance(1)
    }

    /// Adds bytes.
    @inlinable
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if count + bytes.count > capacity { grow(count + bytes.count) }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Adds some of the bytes of another buffer.
    @inlinable
    package mutating func add(_ other: borrowing KeyBuffer, from offset: Int, count added: Int) {
        if count + added > capacity { grow(count + added) }
        let (source, target) = (other.start + offset, start + count)
        // Most are short, and both buffers have that many spare bytes.
        if added <= KeyBuffer.slack {
            target.storeBytes(of: source.loadUnaligned(as: SIMD2<UInt64>.self), as: SIMD2<UInt64>.self)
        } else {
            target.copyMemory(from: source, byteCount: added)
        }
        count += added
    }

    /// Adds the lower six bytes of a number, the highest first.
    @inlinable
    package mutating func add48(_ value: UInt64) {
        start.storeBytes(of: (value << 16).bigEndian, toByteOffset: count, as: UInt64.self)
        advance(6)
    }

    /// Replaces the content with a number of six bytes.
    @inlinable
    package mutating func set(_ number: UInt64) {
        clear()
        add48(number)
    }

    /// Replaces the content with two numbers of six bytes.
    @inlinable
    package mutating func set(_ first: UInt64, _ second: UInt64) {
        set(first)
        add48(second)
    }

    /// Replaces the content with these bytes.
    @inlinable
    package mutating func set(_ whole: UnsafeRawBufferPointer) {
        clear()
        add(whole)
    }

    /// The number of bytes before the row's own key in the table of rows.
    package static let rowKeyHead = 2

    /// Replaces the content with the key of a row in its table: its length in two bytes, then its bytes, so that
    /// sequential IDs are added at the end.
    package mutating func setRowKey(_ key: UnsafeRawBufferPointer) {
        clear()
        _ = addRowKey(key)
    }

    /// Adds the key of a row in its table.
    mutating func addRowKey(_ key: UnsafeRawBufferPointer) -> Bool {
        add(UInt8(truncatingIfNeeded: key.count >> 8))
        add(UInt8(truncatingIfNeeded: key.count))
        add(key)
        return true
    }

    /// Truncates the content to the first `count` bytes.
    @inlinable package mutating func cut(to count: Int) { self.count = count }

    /// Sets the length to `count` bytes and returns the memory, all of which the caller must write.
    @inlinable
    package mutating func ensureCapacity(_ count: Int) -> UnsafeMutableRawPointer {
        if count > capacity { grow(count) }
        self.count = count
        return start
    }

    @inlinable
    mutating func advance(_ written: Int) {
        count += written
        if count > capacity { grow(count) }
    }

    @inline(never)
    @usableFromInline
    mutating func grow(_ needed: Int) {
        let wanted = max(needed, capacity * 2)
        let grown = UnsafeMutableRawPointer.allocate(byteCount: wanted + KeyBuffer.slack, alignment: 16)
        grown.copyMemory(from: start, byteCount: min(count, capacity + KeyBuffer.slack))
        start.deallocate()
        start = grown
        capacity = wanted
    }
}

/// The parts of keys: their byte order is the order of lists, and each part is self-delimiting.
extension KeyBuffer {
    /// The number of bytes of a text that sorting looks at (docs/protocol.md, LIST).
    package static let textPrefix = 200

    /// Adds an ID and a zero byte, which sorts before every other byte.
    package mutating func addName(_ name: UnsafeRawBufferPointer) {
        add(name)
        add(0)
    }

    /// Adds two names in byte order, so that both orders give the same key.
    package mutating func addPair(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) {
        let isOrdered = one.compare(other) < 0
        addName(isOrdered ? one : other)
        addName(isOrdered ? other : one)
    }

    /// Adds the first 200 bytes of a text.
    ///
    /// A zero byte inside becomes 00 FF, and 00 00 ends the text, so that a text sorts before every longer one that
    /// begins with it.
    package mutating func addText(_ text: UnsafeRawBufferPointer, isFolded: Bool) {
        let text = text.slice(0, count: min(text.count, KeyBuffer.textPrefix))
        if text.hasZero {
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

    /// Adds a whole text with its ASCII letters in lower case.
    package mutating func addFolded(_ text: UnsafeRawBufferPointer) {
        let first = count
        add(text)
        let added = UnsafeMutableRawBufferPointer(start: start + first, count: count - first)
        for index in added.indices { added[index] = added[index].folded }
    }

    /// Adds an integer in its order: a byte for the number of bytes that follow, below 128 for negative ones, then
    /// those.
    package mutating func addInteger(_ value: Int64) {
        let size = (71 - (value < 0 ? ~value : value).leadingZeroBitCount) / 8
        add(value < 0 ? 0x7F - UInt8(size) : 0x80 + UInt8(size))
        for index in (0..<size).reversed() { add(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
    }

    /// Adds a date in its order: six bytes between the years −2490 and 6429, fourteen outside.
    package mutating func addDate(_ date: Instant) {
        let bound: Int64 = 1 << 47
        let value = date.milliseconds
        add48(UInt64(bitPattern: min(max(value, -bound), bound - 1) + bound))
        if value <= -bound || value >= bound - 1 { addOrdered(UInt64(bitPattern: value) ^ (1 << 63)) }
    }

    /// Adds a double in its order; −0 and 0 are the same.
    package mutating func addDouble(_ value: Double) {
        let bits = (value == 0 ? 0 : value).bitPattern
        addOrdered(bits >> 63 == 1 ? ~bits : bits | (1 << 63))
    }

    /// Adds eight bytes, the highest first.
    package mutating func addOrdered(_ value: UInt64) {
        start.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
        advance(8)
    }
}

extension UInt8 {
    /// The byte in lower case where it is an ASCII letter, otherwise the byte itself.
    package var folded: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
