/// The control characters that a text may contain.
enum TextShape {
    /// None, for text of one line.
    case line
    /// Tabs, line feeds and carriage returns.
    case lines

    /// Returns true when well-formed UTF-8 has no other control characters (U+0000–001F, U+007F–009F); in one line
    /// there is no line or paragraph separator (U+2028, U+2029) either.
    func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count, TextShape.isPlain(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            {
                index += 8
                continue
            }
            guard fits(bytes, at: index) else { return false }
            index += 1
        }
        return true
    }

    private func fits(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
        switch bytes[index] {
        case 0x09, 0x0A, 0x0D: self == .lines
        case 0x00..<0x20, 0x7F: false
        // U+0080–009F are C2 80–9F, U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        case 0xC2: TextShape.byte(bytes, index + 1) >= 0xA0
        case 0xE2: self == .lines || !TextShape.isSeparator(bytes, index)
        default: true
        }
    }

    /// Returns true when all eight bytes are printable ASCII: none has its highest bit, is below 0x20, or is 0x7F.
    private static func isPlain(_ word: UInt64) -> Bool {
        // Without the highest bits, neither sum carries from one byte into the next.
        let lower = word & 0x7F7F_7F7F_7F7F_7F7F
        let isDelete = lower + 0x0101_0101_0101_0101
        let isPrintable = lower + 0x6060_6060_6060_6060
        return (word | isDelete | ~isPrintable) & 0x8080_8080_8080_8080 == 0
    }

    /// Returns true when well-formed UTF-8 is only white space, as Unicode defines it. A line may have a million such
    /// bytes, so each one is read once.
    static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x09...0x0D, 0x20: index += 1
            case let byte where byte >= 0x80:
                let length = spaceLength(bytes, index)
                guard length > 0 else { return false }
                index += length
            default: return false
            }
        }
        return true
    }

    /// Returns the number of bytes of the non-ASCII white space at an index; 0 where there is none.
    private static func spaceLength(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
        let (second, third) = (byte(bytes, index + 1), byte(bytes, index + 2))
        switch (bytes[index], second, third) {
        // U+0085 and U+00A0.
        case (0xC2, 0x85, _), (0xC2, 0xA0, _): return 2
        // U+1680; U+2000–200A, 2028, 2029, 202F and 205F; U+3000.
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
            (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
            return 3
        default: return 0
        }
    }

    private static func isSeparator(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        byte(bytes, index + 1) == 0x80 && 0xA8...0xA9 ~= byte(bytes, index + 2)
    }

    /// Returns the byte at an index; past the end a byte that is in no character.
    private static func byte(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : 0xFF
    }
}
