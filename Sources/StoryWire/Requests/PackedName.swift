/// A name of at most 16 bytes as two words, so that looking one up is comparing numbers.
struct PackedName: Equatable, Sendable {
    static let maxCount = 16

    private let first: UInt64
    private let second: UInt64

    /// Nil when there are more than 16 bytes.
    init?(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, caseMask: 0) }

    /// The bytes with ASCII letters in capitals.
    init?(ignoringCase bytes: UnsafeRawBufferPointer) { self.init(bytes, caseMask: 0x20) }

    /// A name of the program's own.
    init(_ name: String) {
        precondition(name.utf8.count <= PackedName.maxCount, "names of the protocol have at most 16 bytes")
        var words: (UInt64, UInt64) = (0, 0)
        for byte in name.utf8 { PackedName.add(byte, to: &words) }
        (first, second) = words
    }

    private init?(_ bytes: UnsafeRawBufferPointer, caseMask: UInt8) {
        guard bytes.count <= PackedName.maxCount else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            let isSmallLetter = byte &- 0x61 < 26
            PackedName.add(isSmallLetter ? byte & ~caseMask : byte, to: &words)
        }
        (first, second) = words
    }

    @inline(__always)
    private static func add(_ byte: UInt8, to words: inout (UInt64, UInt64)) {
        words.0 = words.0 &<< 8 | words.1 &>> 56
        words.1 = words.1 &<< 8 | UInt64(byte)
    }
}
