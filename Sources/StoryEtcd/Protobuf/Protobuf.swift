/// The bytes of a message are no protobuf, or not of the message's type.
package enum ProtobufFault: Error, Equatable {
    /// The bytes end within a field, or a number has more than 64 bits.
    case cutOff
    /// A field has the number 0, or one of more than 29 bits, or a wire type that is none.
    case noField
    /// A field that the message has is of another wire type.
    case otherType
    /// The message has more elements than a reader takes.
    case tooMany
}

/// A field of a message.
struct ProtobufField {
    /// The value of a field, as far as its wire type tells.
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A value of 4 or 8 bytes, which no message here has.
        case fixed
    }

    let number: Int
    let value: Value

    /// Returns the value of an integer.
    func int64() throws(ProtobufFault) -> Int64 { Int64(bitPattern: try uint64()) }

    /// Returns the value of an integer without a sign.
    func uint64() throws(ProtobufFault) -> UInt64 {
        guard case .number(let value) = value else { throw .otherType }
        return value
    }

    /// Returns the value of a truth value.
    func bool() throws(ProtobufFault) -> Bool { try uint64() != 0 }

    /// Returns the value of bytes, or of a message.
    func bytes() throws(ProtobufFault) -> ArraySlice<UInt8> {
        guard case .bytes(let value) = value else { throw .otherType }
        return value
    }

    /// Returns the value of a text; bytes that are not UTF-8 become U+FFFD.
    func text() throws(ProtobufFault) -> String { String(decoding: try bytes(), as: UTF8.self) }
}

/// A reader of the fields of one message, in their order. It accepts any bytes: it throws, and never traps.
struct ProtobufReader {
    private static let highestField: UInt64 = 1 << 29 - 1

    private var rest: ArraySlice<UInt8>

    /// Creates a reader of the bytes of a message.
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Returns the next field; nil at the end of the message.
    mutating func next() throws(ProtobufFault) -> ProtobufField? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        let number = key >> 3
        guard number > 0, number <= ProtobufReader.highestField else { throw .noField }
        return ProtobufField(number: Int(number), value: try value(wireType: key & 7))
    }

    private mutating func value(wireType: UInt64) throws(ProtobufFault) -> ProtobufField.Value {
        switch wireType {
        case 0: return .number(try varint())
        case 2: return .bytes(try take(try varint()))
        case 1, 5:
            _ = try take(wireType == 1 ? 8 : 4)
            return .fixed
        default: throw .noField
        }
    }

    private mutating func take(_ count: UInt64) throws(ProtobufFault) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .cutOff }
        let part = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return part
    }

    private mutating func varint() throws(ProtobufFault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw .cutOff }
            guard shift < 63 || byte <= 1 else { throw .cutOff }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw .cutOff
    }
}

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
