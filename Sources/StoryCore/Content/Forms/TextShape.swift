/// Which control characters a text may hold.
enum TextShape {
    /// None: it is one line.
    case line
    /// Tabs, and the line feeds and carriage returns that lines end with.
    case lines

    /// True when well-formed UTF-8 has no other control characters (U+0000–001F, U+007F–009F); in one line there is no
    /// line or paragraph separator (U+2028, U+2029) either.
    func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x09, 0x0A, 0x0D: if self == .line { return false }
            case 0x00..<0x20, 0x7F: return false
            // U+0080–009F are C2 80–9F, U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            case 0xC2: if TextShape.byte(bytes, index + 1) < 0xA0 { return false }
            case 0xE2: if self == .line, TextShape.isSeparator(bytes, index) { return false }
            default: continue
            }
        }
        return true
    }

    /// True when there is nothing but white space, as Unicode has it.
    static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.contains(where: { 0x21...0x7E ~= $0 }) { return false }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }

    private static func isSeparator(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        byte(bytes, index + 1) == 0x80 && 0xA8...0xA9 ~= byte(bytes, index + 2)
    }

    /// The byte at an index; past the end one that no character has.
    private static func byte(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : 0xFF
    }
}
