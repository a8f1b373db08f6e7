/// A duration in seconds as a fraction, in its original spelling: `1/125`.
package struct ExposureDuration: Equatable, Sendable {
    /// The number above the slash.
    package let numerator: UInt32
    /// The number below the slash.
    package let denominator: UInt32

    /// Creates a duration; nil when a part is zero.
    package init?(numerator: UInt32, denominator: UInt32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }
}

extension FormReader {
    /// Reads seconds as a fraction of whole numbers: `1/125`.
    mutating func exposureDuration(_ field: FieldID) -> ExposureDuration? {
        guard let bytes = string(field) else { return nil }
        let parts = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = FormReader.part(parts[0]), let denominator = FormReader.part(parts[1]),
            denominator > 0
        else { return refused(field, .malformed, "must be seconds as a fraction such as 1/125") }
        return ExposureDuration(numerator: numerator, denominator: denominator)
            ?? refused(field, .outOfRange, "must be more than 0")
    }

    /// Returns a whole number that is made of digits only.
    private static func part(_ digits: UnsafeRawBufferPointer.SubSequence) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}
