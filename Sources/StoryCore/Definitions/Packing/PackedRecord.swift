/// The values of a row or of a note record in one piece of bytes.
///
/// A bit for each field in whole bytes, the lowest first, then the values that are there, in the order of the fields: one
/// value as `PackedScalar` has it; a collection as the length of its elements and their number, two bytes each, and the
/// elements.
package enum PackedRecord {
    private static let countsCount = 4

    /// Returns the length of the record of values, in bytes.
    package static func count(_ values: UnsafeBufferPointer<ModelValue>) -> Int {
        values.reduce((values.count + 7) / 8) { $0 + $1.packedCount }
    }

    /// Writes values to memory that has room for `count(values)` bytes.
    package static func write(_ values: UnsafeBufferPointer<ModelValue>, to start: UnsafeMutableRawPointer) {
        let bitsCount = (values.count + 7) / 8
        start.initializeMemory(as: UInt8.self, repeating: 0, count: bitsCount)
        var next = start + bitsCount
        for (number, value) in values.enumerated() where !value.isMissing {
            let byte = start + number / 8
            byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(number % 8), as: UInt8.self)
            next += pack(value, to: next)
        }
    }

    private static func pack(_ value: ModelValue, to start: UnsafeMutableRawPointer) -> Int {
        let (bytes, count): (UnsafeRawBufferPointer, Int)
        switch value {
        case .list(let list): (bytes, count) = (list.bytes, list.count)
        case .map(let map): (bytes, count) = (map.bytes, map.count)
        case .absent, .boolean, .number, .time, .text, .array, .object: return start.pack(value)
        }
        start.storeBytes(of: UInt16(truncatingIfNeeded: bytes.count), as: UInt16.self)
        start.storeBytes(of: UInt16(truncatingIfNeeded: count), toByteOffset: 2, as: UInt16.self)
        if let source = bytes.baseAddress {
            (start + countsCount).copyMemory(from: source, byteCount: bytes.count)
        }
        return countsCount + bytes.count
    }

    /// Reads a record, whose bytes the values are views of.
    ///
    /// - Parameter values: as many as there are types.
    /// - Returns: false where the bytes are no record of these types; then the values mean nothing.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, _ types: UnsafeBufferPointer<ModelFieldType>,
        into values: UnsafeMutablePointer<ModelValue>
    ) -> Bool {
        let bitsCount = (types.count + 7) / 8
        guard let start = bytes.baseAddress, bytes.count >= bitsCount else { return types.isEmpty }
        var next = bitsCount
        for (number, type) in types.enumerated() {
            guard bytes[number / 8] >> UInt8(number % 8) & 1 == 1 else {
                values[number] = .missing
                continue
            }
            let scalar = PackedScalar(type.scalar)
            guard type.shape == .one else {
                guard next + countsCount <= bytes.count else { return false }
                let length = Int((start + next).loadUnaligned(as: UInt16.self))
                let count = Int((start + next).loadUnaligned(fromByteOffset: 2, as: UInt16.self))
                next += countsCount
                guard next + length <= bytes.count else { return false }
                let elements = UnsafeRawBufferPointer(start: start + next, count: length)
                values[number] =
                    type.shape == .map
                    ? .map(PackedMap(elements, count: count, of: scalar))
                    : .list(PackedList(elements, count: count, of: scalar))
                next += length
                continue
            }
            let isWhole =
                next + (scalar.fixedCount ?? PackedScalar.lengthCount) <= bytes.count
                && next + scalar.count(at: start + next) <= bytes.count
            guard isWhole else { return false }
            values[number] = scalar.value(at: start + next)
            next += scalar.count(at: start + next)
        }
        return next == bytes.count
    }
}

extension ModelValue {
    /// The length of the value in a record, in bytes.
    fileprivate var packedCount: Int {
        switch self {
        case .list(let list): 4 + list.bytes.count
        case .map(let map): 4 + map.bytes.count
        case .absent, .boolean, .number, .time, .text, .array, .object: size
        }
    }
}
