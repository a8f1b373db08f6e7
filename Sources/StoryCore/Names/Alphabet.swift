/// The bytes that IDs, stream names, event types, keys and tags are made of: `A–Z a–z 0–9 . _ ~ -`.
package enum Alphabet {
    /// Returns true when a byte is in the alphabet.
    package static func holds(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Returns true when the number of bytes is in the range and every byte is in the alphabet.
    package static func spells(_ bytes: some Collection<UInt8>, within range: ClosedRange<Int>) -> Bool {
        range.contains(bytes.count) && bytes.allSatisfy(holds)
    }

    /// Returns the bytes as text; they are ASCII, so none is replaced.
    package static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
