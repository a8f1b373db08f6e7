/// Writes the fields of a stored row one after the other, little-endian.
package struct RecordWriter<Bytes: ByteWriting> {
    private(set) var bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// Begins anew in the same memory.
    mutating func clear() { bytes.clear() }

    @inline(__always)
    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number) {
        bytes.add(native: value.littleEndian)
    }

    mutating func double(_ value: Double) { integer(value.bitPattern) }

    /// One byte says whether the value follows.
    mutating func optional<Value>(_ value: Value?, _ write: (inout RecordWriter, Value) -> Void) {
        guard let value else { return integer(UInt8(0)) }
        integer(UInt8(1))
        write(&self, value)
    }

    /// Up to 255 bytes.
    @inline(__always)
    mutating func name<Name: HeldBytes>(_ name: Name) {
        name.withRawBytes { name in
            integer(UInt8(clamping: name.count))
            bytes.add(name)
        }
    }

    @inline(__always)
    mutating func text<Prose: HeldBytes>(_ text: Prose) {
        text.withRawBytes { text in
            integer(UInt32(clamping: text.count))
            bytes.add(text)
        }
    }
}

/// Reads what `RecordWriter` wrote; every reading answers nil past the end.
struct RecordReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard bytes.count - offset >= size else { return nil }
        defer { offset += size }
        return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    mutating func double() -> Double? { integer(UInt64.self).map(Double.init(bitPattern:)) }

    /// Nil when the record ends early; `.some(nil)` when the value is absent.
    mutating func optional<Value>(_ read: (inout RecordReader) -> Value?) -> Value?? {
        guard let flag = integer(UInt8.self) else { return nil }
        guard flag == 1 else { return .some(nil) }
        guard let value = read(&self) else { return nil }
        return .some(value)
    }

    mutating func name() -> [UInt8]? {
        guard let count = integer(UInt8.self) else { return nil }
        return take(Int(count))
    }

    mutating func identifier() -> Identifier? { name().map(Identifier.init(trusted:)) }

    mutating func text() -> Text? {
        guard let count = integer(UInt32.self), let bytes = take(Int(count)) else { return nil }
        return Text(bytes)
    }

    mutating func instant() -> Instant? { integer(Int64.self).map(Instant.init(milliseconds:)) }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }
}
