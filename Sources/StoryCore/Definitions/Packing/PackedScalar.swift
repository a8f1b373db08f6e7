/// The form in which an element of a list or a map is packed; its length is what the limit of a row counts.
///
/// A text is its length in two bytes and its bytes, a number its scale and eight bytes, a time eight bytes, a boolean one.
/// Equal values are equal bytes.
package enum PackedScalar: String, BitwiseCopyable, Sendable {
    case text, number, boolean, time

    /// The length of a text's length.
    static let lengthCount = 2

    /// The form of a type's values.
    package init(_ scalar: ModelFieldType.Scalar) {
        switch scalar {
        case .text: self = .text
        case .number: self = .number
        case .boolean: self = .boolean
        case .time: self = .time
        }
    }

    /// The length of each value, in bytes; nil for texts.
    var fixedCount: Int? {
        switch self {
        case .text: nil
        case .number: 9
        case .boolean: 1
        case .time: 8
        }
    }

    /// Returns the length of the value at an address, in bytes.
    func count(at start: UnsafeRawPointer) -> Int { fixedCount ?? start.packedText.count + PackedScalar.lengthCount }

    /// Returns the value at an address.
    func value(at start: UnsafeRawPointer) -> ModelValue {
        switch self {
        case .text: .text(start.packedText)
        case .number:
            .number(
                ModelNumber(
                    packedDigits: (start + 1).loadUnaligned(as: Int64.self), scale: start.load(as: UInt8.self)))
        case .boolean: .boolean(start.load(as: UInt8.self) != 0)
        case .time: .time(Instant(milliseconds: start.loadUnaligned(as: Int64.self)))
        }
    }
}

extension UnsafeRawPointer {
    /// The text behind its length in two bytes.
    var packedText: UnsafeRawBufferPointer {
        let count = Int(loadUnaligned(as: UInt16.self))
        return UnsafeRawBufferPointer(start: self + PackedScalar.lengthCount, count: count)
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a text with its length; returns the number of bytes.
    func pack(text: UnsafeRawBufferPointer) -> Int {
        storeBytes(of: UInt16(truncatingIfNeeded: text.count), as: UInt16.self)
        if let source = text.baseAddress {
            (self + PackedScalar.lengthCount).copyMemory(from: source, byteCount: text.count)
        }
        return PackedScalar.lengthCount + text.count
    }

    /// Writes one value, which is no list and no map; returns the number of bytes.
    func pack(_ value: ModelValue) -> Int {
        switch value {
        case .text(let text): return pack(text: text)
        case .number(let number):
            storeBytes(of: number.scale, as: UInt8.self)
            storeBytes(of: number.digits, toByteOffset: 1, as: Int64.self)
            return 9
        case .boolean(let value):
            storeBytes(of: value ? 1 : 0, as: UInt8.self)
            return 1
        case .time(let time):
            storeBytes(of: time.milliseconds, as: Int64.self)
            return 8
        case .absent, .list, .map, .array, .object: return 0
        }
    }
}
