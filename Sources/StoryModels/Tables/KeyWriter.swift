package import StoryCore

/// Writes keys into arrays of their own.
package typealias KeyWriter = KeyWriterOf<[UInt8]>

/// Writes keys whose byte order is the order that lists want.
package struct KeyWriterOf<Bytes: ByteWriting> {
    /// How many bytes of a text sorting looks at (SPEC §3).
    package static var textPrefix: Int { 200 }
    /// How many bytes a stream number or a position takes at the end of a key.
    package static var numberCount: Int { 6 }

    /// The greatest number that fits six bytes.
    package static var greatestNumber: UInt64 { 1 << 48 - 1 }

    package private(set) var bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// Begins anew in the same memory.
    package mutating func clear() { bytes.clear() }

    /// Makes it one number.
    @inline(__always)
    package mutating func set(_ number: UInt64) {
        clear()
        self.number(number)
    }

    /// Makes it two numbers.
    @inline(__always)
    package mutating func set(_ first: UInt64, _ second: UInt64) {
        set(first)
        number(second)
    }

    /// Makes it these bytes.
    mutating func set(_ whole: UnsafeRawBufferPointer) {
        clear()
        bytes.add(whole)
    }

    /// An ID or another name of the alphabet, ended by a zero byte, which sorts before every other.
    package mutating func name(_ name: [UInt8]) {
        name.withUnsafeBytes { bytes.add($0) }
        bytes.add(0)
    }

    @inline(__always)
    package mutating func name<Name: HeldBytes>(_ name: Name) {
        name.withRawBytes { bytes.add($0) }
        bytes.add(0)
    }

    /// The first 200 bytes of a text. A zero byte inside becomes 00 FF, and 00 00 ends the text, so that a text
    /// stands before every longer one that begins with it.
    package mutating func text<Prose: HeldBytes>(_ text: Prose) {
        text.withRawBytes { text in
            let prefix = UnsafeRawBufferPointer(rebasing: text.prefix(KeyWriter.textPrefix))
            guard prefix.contains(0) else { return bytes.add(prefix) }
            for byte in prefix {
                bytes.add(byte)
                if byte == 0 { bytes.add(0xFF) }
            }
        }
        bytes.add(0)
        bytes.add(0)
    }

    /// A number below 2^48, six bytes, the highest first.
    @inline(__always)
    package mutating func number(_ value: UInt64) { bytes.add48(value) }

    package mutating func number(_ number: StreamNumber) { self.number(number.value) }

    /// A position; positions reach 2^53 in the contract, and 2^48 here: at a million events a second, nine years.
    package mutating func position(_ position: Position) { number(position.value) }

    /// Makes it the key of a count: which index, and the prefix that is counted.
    @inline(__always)
    mutating func setCount(of table: Table, _ prefix: UnsafeRawBufferPointer) {
        clear()
        byte(table.rawValue)
        bytes.add(prefix)
    }

    @inline(__always)
    package mutating func byte(_ byte: UInt8) { bytes.add(byte) }

    @inline(__always)
    package mutating func date(_ date: Instant) { ordered(UInt64(bitPattern: date.milliseconds) ^ (1 << 63)) }

    /// Doubles in their numeric order.
    package mutating func double(_ value: Double) {
        // −0 and 0 are one number, so they must be one key.
        let bits = (value == 0 ? 0 : value).bitPattern
        ordered(bits >> 63 == 1 ? ~bits : bits | (1 << 63))
    }

    /// A number that may be absent: what is absent stands after everything that is there.
    package mutating func double(_ value: Double?) {
        guard let value else { return bytes.add(1) }
        bytes.add(0)
        double(value)
    }

    @inline(__always)
    private mutating func ordered(_ value: UInt64) { bytes.add(native: value.bigEndian) }
}

extension KeyWriterOf where Bytes == [UInt8] {
    package init() {
        self.init([])
        bytes.reserveCapacity(64)
    }

    /// A whole key of one number.
    package static func number(_ number: StreamNumber) -> [UInt8] {
        var key = KeyWriter()
        key.number(number)
        return key.bytes
    }
}

/// A whole key of one number, of which no array is made.
package struct NumberKey {
    private var bytes: UInt64

    package init(_ number: UInt64) { bytes = (number << 16).bigEndian }

    /// Lends the six bytes.
    @discardableResult
    @inline(__always)
    package mutating func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: &bytes) { body(UnsafeRawBufferPointer(rebasing: $0[..<KeyWriter.numberCount])) }
    }
}

/// Reads the numbers back that a key or a value ends with.
package enum KeyReader {
    /// The six-byte number at an offset; nil when the bytes are too few.
    package static func number(_ bytes: [UInt8], at offset: Int) -> UInt64? {
        bytes.withUnsafeBytes { number($0, at: offset) }
    }

    /// The same for bytes that are lent.
    package static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64? {
        guard offset >= 0, offset + KeyWriter.numberCount <= bytes.count else { return nil }
        let high = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        let low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
        return UInt64(high) << 32 | UInt64(low)
    }

    /// The stream number that an index key ends with.
    package static func lastNumber(_ key: [UInt8]) -> StreamNumber? {
        number(key, at: key.count - KeyWriter.numberCount).map(StreamNumber.init)
    }

    /// The same for bytes that are lent.
    package static func lastNumber(_ key: UnsafeRawBufferPointer) -> StreamNumber? {
        number(key, at: key.count - KeyWriter.numberCount).map(StreamNumber.init)
    }
}
