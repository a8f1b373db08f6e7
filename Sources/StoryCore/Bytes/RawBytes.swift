extension UnsafeRawBufferPointer {
    /// No bytes.
    @inlinable package static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Returns true when both have the same bytes. Unequal ones mostly differ in their length.
    @inlinable
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool { count == other.count && hasBytes(other) }

    /// Returns true when the first `count` bytes are equal. Most are short, so whole words are compared without a call.
    @usableFromInline
    func hasBytes(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        guard count >= 8 else {
            if count >= 4 { return left.half(0) == right.half(0) && left.half(count - 4) == right.half(count - 4) }
            for offset in 0..<count
            where left.load(fromByteOffset: offset, as: UInt8.self)
                != right.load(fromByteOffset: offset, as: UInt8.self)
            { return false }
            return true
        }
        var difference: UInt64 = 0
        var offset = 0
        while offset < count - 8 {
            difference |= left.word(offset) ^ right.word(offset)
            offset += 8
        }
        return difference | (left.word(count - 8) ^ right.word(count - 8)) == 0
    }

    /// Returns true when the bytes sort before others, in the order of LMDB's keys: byte by byte, a prefix first.
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { lexicographicallyPrecedes(other) }

    /// Returns the six-byte big-endian number at an offset.
    ///
    /// - Parameter offset: in bytes; the whole number is within the bytes.
    package func sixByteNumber(at offset: Int) -> UInt64 {
        let high = UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        let low = UInt32(bigEndian: loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Returns the `count` bytes from `start` on, which are within the bytes.
    package func slice(_ start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<start + count])
    }
}

extension UnsafeRawPointer {
    fileprivate func half(_ offset: Int) -> UInt32 { loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    fileprivate func word(_ offset: Int) -> UInt64 { loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}

extension [UInt8] {
    /// Returns true when the array has these bytes.
    package func equals(_ other: UnsafeRawBufferPointer) -> Bool { withUnsafeBytes { $0.equals(other) } }

    /// Calls `body` with the bytes, as `withUnsafeBytes` does, but with typed throws.
    @inlinable
    @inline(__always)
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
