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
