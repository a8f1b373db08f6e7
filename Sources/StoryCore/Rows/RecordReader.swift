/// Reads what `RecordWriter` wrote; every reading answers nil past the end. Names and texts stay where they lie.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inline(__always)
    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard bytes.count - offset >= size else { return nil }
        defer { offset += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    mutating func double() -> Double? { integer(UInt64.self).map(Double.init(bitPattern:)) }

    /// Nil when the record ends early; `.some(nil)` when the value is absent.
    @inline(__always)
    mutating func optional<Value>(_ read: (inout RecordReader) -> Value?) -> Value?? {
        guard let flag = integer(UInt8.self) else { return nil }
        guard flag == 1 else { return .some(nil) }
        guard let value = read(&self) else { return nil }
        return .some(value)
    }

    @inline(__always)
    mutating func name() -> UnsafeRawBufferPointer? {
        guard let count = integer(UInt8.self) else { return nil }
        return take(Int(count))
    }

    @inline(__always)
    mutating func text() -> UnsafeRawBufferPointer? {
        guard let count = integer(UInt32.self) else { return nil }
        return take(Int(count))
    }

    @inline(__always)
    mutating func instant() -> Instant? { integer(Int64.self).map(Instant.init(milliseconds:)) }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }
}
