/// A writer of messages. Values that are zero or empty are left out, as proto3 has it.
struct ProtobufWriter {
    private(set) var bytes: [UInt8]

    /// Creates a writer of a message behind other bytes, which will have about `capacity` bytes.
    init(behind prefix: [UInt8] = [], capacity: Int = 0) {
        bytes = prefix
        bytes.reserveCapacity(prefix.count + capacity)
    }

    /// Writes an integer; a negative one has ten bytes.
    mutating func number(_ value: Int64, field: Int) {
        if value != 0 { present(value, field: field) }
    }

    /// Writes a truth value.
    mutating func bool(_ value: Bool, field: Int) { number(value ? 1 : 0, field: field) }

    /// Writes bytes.
    mutating func bytes(_ value: some Collection<UInt8>, field: Int) {
        guard !value.isEmpty else { return }
        key(field, wireType: 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a text.
    mutating func text(_ value: String, field: Int) { bytes(value.utf8, field: field) }

    /// Writes a member of a oneof, which is there even if it is zero.
    mutating func present(_ value: Int64, field: Int) {
        key(field, wireType: 0)
        varint(UInt64(bitPattern: value))
    }

    /// Writes a message within the message, which is there even if it is empty.
    mutating func message(field: Int, _ body: (inout ProtobufWriter) -> Void) {
        key(field, wireType: 2)
        let start = bytes.count
        body(&self)
        // The length comes before bytes that are written by now; most are few.
        bytes.insert(contentsOf: ProtobufWriter.varint(UInt64(bytes.count - start)), at: start)
    }

    private mutating func key(_ field: Int, wireType: UInt64) { varint(UInt64(field) << 3 | wireType) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.varint(value)
        return writer.bytes
    }
}
