/// Bytes as text: the standard alphabet of RFC 4648 with padding.
package enum Base64 {
    fileprivate static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding: UInt8 = 0x3D
    private static let invalid: UInt8 = 0xFF
    /// The value of each character, `invalid` for others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Returns the bytes of a text; nil where it is not base64.
    package static func decoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        guard text.count > 0 else { return [] }
        let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
        let count = text.count / 4 * 3 - padded
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count + padded) { target, filled in
            values.withUnsafeBufferPointer { values in
                isValid = decode(text, padded: padded, values, to: target)
            }
            filled = isValid ? count : 0
        }
        return isValid ? bytes : nil
    }

    /// Decodes all groups of four characters; returns false at a character that is not one of the alphabet.
    private static func decode(
        _ text: UnsafeRawBufferPointer, padded: Int, _ values: UnsafeBufferPointer<UInt8>,
        to target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        // The padding counts as zeros, which are not among the bytes that the caller keeps.
        func value(_ index: Int) -> UInt8 { index < text.count - padded ? values[Int(text[index])] : 0 }
        var (source, end) = (0, 0)
        while source < text.count {
            let (a, b, c, d) = (value(source), value(source + 1), value(source + 2), value(source + 3))
            guard a | b | c | d < 64 else { return false }
            target[end] = a << 2 | b >> 4
            target[end + 1] = b << 4 | c >> 2
            target[end + 2] = c << 6 | d
            source += 4
            end += 3
        }
        return true
    }
}

extension ByteWriter {
    /// Writes bytes as base64.
    mutating func base64(_ bytes: UnsafeRawBufferPointer) {
        let start = advance((bytes.count + 2) / 3 * 4)
        Base64.alphabet.withUnsafeBufferPointer { alphabet in
            var (index, end) = (0, 0)
            while index < bytes.count {
                let left = bytes.count - index
                let (a, b, c) = (bytes[index], left > 1 ? bytes[index + 1] : 0, left > 2 ? bytes[index + 2] : 0)
                start[end] = alphabet[Int(a >> 2)]
                start[end + 1] = alphabet[Int(a << 4 & 0x30 | b >> 4)]
                start[end + 2] = left > 1 ? alphabet[Int(b << 2 & 0x3C | c >> 6)] : 0x3D
                start[end + 3] = left > 2 ? alphabet[Int(c & 0x3F)] : 0x3D
                index += 3
                end += 4
            }
        }
    }
}
