import CXXHash
package import StoryCore

/// The parts of keys with the values of declared models.
extension KeyBuffer {
    /// The number of bytes up to which a text is whole in a part that only equality looks at.
    package static let wholeText = 32
    /// The number of bytes of a longer text in such a part, before the hash.
    private static let textHead = 16

    /// Adds a text that is only compared for equality: its length and its bytes, or of one of more than 32 bytes the
    /// first 16 and a hash of all.
    package mutating func addEqual(_ text: UnsafeRawBufferPointer) {
        guard text.count > KeyBuffer.wholeText else {
            add(UInt8(truncatingIfNeeded: text.count))
            return add(text)
        }
        add(UInt8(KeyBuffer.wholeText + 1))
        add(text.slice(0, count: KeyBuffer.textHead))
        let hash = xxhi_128(text.baseAddress, text.count, 0)
        addOrdered(hash.high)
        addOrdered(hash.low)
    }

    /// Adds a decimal in its order: the sign and the exponent of the first digit in a byte, then 18 digits as a number
    /// of eight bytes; of a negative one the complement of both.
    package mutating func addDecimal(_ number: ModelNumber) {
        var digits = number.digits.magnitude
        guard digits > 0 else {
            add(0x80)
            return addOrdered(0)
        }
        // 18 digits at most, of which as many as the scale are behind the point.
        var exponent = ModelNumber.precision - Int(number.scale)
        while digits < KeyBuffer.leastDigits {
            digits *= 10
            exponent -= 1
        }
        let head = UInt8(truncatingIfNeeded: 0xC0 + exponent)
        add(number.digits < 0 ? ~head : head)
        addOrdered(number.digits < 0 ? ~digits : digits)
    }

    /// The least number of 18 digits.
    private static let leastDigits: UInt64 = 100_000_000_000_000_000
}
