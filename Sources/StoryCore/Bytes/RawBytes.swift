extension UnsafeRawBufferPointer {
    /// No bytes.
    @inlinable package static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    // Inlined: most keys and names are short, so two overlapping words cost less than a call.

    /// Returns true when both have the same bytes. Unequal ones mostly differ in their length.
    @inlinable
    @inline(__always)
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        // The count of the other bytes: that of a literal is known to the compiler.
        let count = other.count
        if count > 32 { return left.hasBytes(right, count) }
        if count >= 8 {
            var (difference, offset) = (UInt64(0), 0)
            while offset < count - 8 {
                difference |= left.word(offset) ^ right.word(offset)
                offset += 8
            }
            return difference | (left.word(count - 8) ^ right.word(count - 8)) == 0
        }
        if count >= 4 { return left.half(0) == right.half(0) && left.half(count - 4) == right.half(count - 4) }
        for offset in 0..<count where left.byte(offset) != right.byte(offset) { return false }
        return true
    }

    /// Returns true when the bytes are those of a text in UTF-8.
    @inlinable
    @inline(__always)
    package func equals(_ text: StaticString) -> Bool {
        equals(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Returns true when the bytes are those of a text that is not a literal.
    package func equals(text: String) -> Bool {
        var text = text
        return text.withUTF8 { equals(UnsafeRawBufferPointer($0)) }
    }

    /// Returns the offset of the first byte with a value; nil where there is none. Quick where the byte comes soon.
    @inlinable
    @inline(__always)
    package func offset(of byte: UInt8) -> Int? {
        guard let start = baseAddress else { return nil }
        var offset = 0
        while offset < count {
            if start.byte(offset) == byte { return offset }
            offset += 1
        }
        return nil
    }

    /// Compares in the order of LMDB's keys: byte by byte, a prefix first. Negative when these bytes come first.
    ///
    /// It compares whole words, of which the last one overlaps: a loop over the remaining bytes would end
    /// unpredictably, and so cost a mispredicted branch.
    @inlinable
    @inline(__always)
    package func compare(_ other: UnsafeRawBufferPointer) -> Int {
        let shorter = Swift.min(count, other.count)
        guard shorter > 0, let left = baseAddress, let right = other.baseAddress else { return count - other.count }
        var (first, second): (UInt64, UInt64)
        if shorter < 8 {
            (first, second) = (left.orderedWord(shorter), right.orderedWord(shorter))
        } else {
            let last = shorter - 8
            var offset = 0
            (first, second) = (left.word(0).bigEndian, right.word(0).bigEndian)
            while first == second, offset < last {
                offset = Swift.min(offset + 8, last)
                (first, second) = (left.word(offset).bigEndian, right.word(offset).bigEndian)
            }
        }
        guard first == second else { return first < second ? -1 : 1 }
        return count - other.count
    }

    /// True when one of the bytes is zero; whole words are tested, of which the last one overlaps.
    package var hasZero: Bool {
        guard count >= 8, let start = baseAddress else { return contains(0) }
        var offset = 0
        while true {
            let word = start.word(offset)
            // Not zero if and only if one of the eight bytes is zero.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            guard offset < count - 8 else { return false }
            offset = Swift.min(offset + 8, count - 8)
        }
    }

    /// Returns true when the bytes are the name of a stream of a category.
    @inlinable
    @inline(__always)
    package func isStream(of category: UnsafeRawBufferPointer) -> Bool {
        count > category.count && self[category.count] == 0x2D && slice(0, count: category.count).equals(category)
    }

    /// Returns the six-byte big-endian number at an offset.
    ///
    /// - Parameter offset: in bytes; the whole number is within the bytes.
    @inlinable
    @inline(__always)
    package func sixByteNumber(at offset: Int) -> UInt64 {
        let high = UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        let low = UInt32(bigEndian: loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Returns the `count` bytes from `start` on, which are within the bytes.
    @inlinable
    @inline(__always)
    package func slice(_ start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<start + count])
    }
}

extension UnsafeRawPointer {
    @inlinable func byte(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }
    @inlinable func half(_ offset: Int) -> UInt32 { loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    @inlinable func word(_ offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    /// Returns true when the next `count` bytes, which are at least eight, are those at another address.
    @usableFromInline
    func hasBytes(_ other: UnsafeRawPointer, _ count: Int) -> Bool {
        var (difference, offset) = (UInt64(0), 0)
        while offset < count - 8 {
            difference |= word(offset) ^ other.word(offset)
            offset += 8
        }
        return difference | (word(count - 8) ^ other.word(count - 8)) == 0
    }

    /// Returns one to seven bytes as a number that has their order among those of the same count.
    @inlinable
    func orderedWord(_ count: Int) -> UInt64 {
        if count >= 4 { return UInt64(half(0).bigEndian) << 32 | UInt64(half(count - 4).bigEndian) }
        return UInt64(byte(0)) << 16 | UInt64(byte(count / 2)) << 8 | UInt64(byte(count - 1))
    }
}

extension [UInt8] {
    /// Returns true when the array has these bytes.
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool { withUnsafeBytes { $0.equals(other) } }

    /// Returns true when the bytes come before others.
    package func precedes(_ other: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.compare($0) < 0 } }
    }

    /// Calls `body` with the bytes, as `withUnsafeBytes` does, but with typed throws.
    @inlinable
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

// Inlinable, since each of these is one instruction, and only the caller knows the type.

/// Little-endian numbers at any address, as they are stored on disk.
extension UnsafeRawBufferPointer {
    /// Returns the number at an offset in bytes, which the caller knows to be inside.
    @inlinable
    @inline(__always)
    package func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Returns the number of six bytes at an offset.
    @inlinable
    @inline(__always)
    package func number48(at offset: Int) -> UInt64 {
        UInt64(number(at: offset, as: UInt32.self)) | UInt64(number(at: offset + 4, as: UInt16.self)) << 32
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a number at an offset that the caller knows to be inside.
    @inlinable
    @inline(__always)
    package func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// Stores the lower six bytes of a number.
    @inlinable
    @inline(__always)
    package func put48(_ number: UInt64, at offset: Int) {
        put(UInt32(truncatingIfNeeded: number), at: offset)
        put(UInt16(truncatingIfNeeded: number >> 32), at: offset + 4)
    }
}

extension [UInt8] {
    /// Returns the number at an offset in bytes, which the caller knows to be inside.
    @inlinable
    package func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        withUnsafeBytes { $0.number(at: offset, as: type) }
    }

    /// Appends a number, its lowest byte first.
    @inlinable
    package mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
