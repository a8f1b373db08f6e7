/// Little-endian numbers at any address, as they lie on the disk.
extension UnsafeRawBufferPointer {
    /// The number at an offset that the caller knows to be inside.
    @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// A number of six bytes.
    @inline(__always)
    func number48(at offset: Int) -> UInt64 {
        UInt64(number(at: offset, as: UInt32.self)) | UInt64(number(at: offset + 4, as: UInt16.self)) << 32
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// The lower six bytes of a number.
    @inline(__always)
    func put48(_ number: UInt64, at offset: Int) {
        put(UInt32(truncatingIfNeeded: number), at: offset)
        put(UInt16(truncatingIfNeeded: number >> 32), at: offset + 4)
    }
}

extension [UInt8] {
    /// The number at an offset that the caller knows to be inside.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        withUnsafeBytes { $0.number(at: offset, as: type) }
    }

    /// Appends a number, its lowest byte first.
    mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension [UInt8] {
    /// As `withUnsafeBytes`, which would widen the errors.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
