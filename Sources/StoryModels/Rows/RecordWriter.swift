import StoryCore

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
