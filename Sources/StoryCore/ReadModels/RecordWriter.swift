/// Writes the fields of a stored row one after the other, little-endian.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func integer<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func double(_ value: Double) { integer(value.bitPattern) }

    /// One byte says whether the value follows.
    mutating func optional<Value>(_ value: Value?, _ write: (inout RecordWriter, Value) -> Void) {
        guard let value else { return integer(UInt8(0)) }
        integer(UInt8(1))
        write(&self, value)
    }

    /// Up to 255 bytes.
    mutating func name(_ name: [UInt8]) {
        integer(UInt8(clamping: name.count))
        bytes.append(contentsOf: name)
    }

    mutating func text(_ text: Text) {
        integer(UInt32(clamping: text.bytes.count))
        bytes.append(contentsOf: text.bytes)
    }
}
