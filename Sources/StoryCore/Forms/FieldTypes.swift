/// The field types that more than one form has.
extension FormReader {
    /// An e-mail address: one `@`, a dot inside the domain, at most 254 bytes, no space or control byte.
    mutating func email(_ field: FieldID) -> Text? {
        guard let bytes = string(field) else { return nil }
        guard !TextShape.isBlank(bytes) else {
            refuse(field, .empty, "must not be empty")
            return nil
        }
        guard bytes.count <= 254 else {
            refuse(field, .tooLong, "must have at most 254 bytes")
            return nil
        }
        guard EmailAddress.isWellFormed(bytes) else {
            refuse(field, .malformed, "must be an address such as name@example.org")
            return nil
        }
        return Text(ByteView(lending: bytes))
    }

    /// Seconds as a fraction of whole numbers: `1/125`.
    mutating func exposureDuration(_ field: FieldID) -> ExposureDuration? {
        guard let bytes = string(field) else { return nil }
        let parts = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = ExposureDuration.part(parts[0]),
            let denominator = ExposureDuration.part(parts[1]), denominator > 0
        else {
            refuse(field, .malformed, "must be seconds as a fraction such as 1/125")
            return nil
        }
        guard let duration = ExposureDuration(numerator: numerator, denominator: denominator) else {
            refuse(field, .outOfRange, "must be more than 0")
            return nil
        }
        return duration
    }
}

package enum EmailAddress {
    package static func isWellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: 0x40), bytes.lastIndex(of: 0x40) == at, at > 0 else { return false }
        let domain = bytes[(at + 1)...]
        guard let first = domain.first, let last = domain.last, first != 0x2E, last != 0x2E, domain.contains(0x2E)
        else { return false }
        return !bytes.contains(0x20) && TextShape.line.fits(bytes)
    }

    /// The address with its ASCII letters in lower case: what makes two addresses the same.
    package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension ExposureDuration {
    /// Reads `1/125`; nil when it is not a fraction above zero.
    package init?(_ text: UnsafeRawBufferPointer) {
        let parts = text.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = ExposureDuration.part(parts[0]),
            let denominator = ExposureDuration.part(parts[1])
        else { return nil }
        self.init(numerator: numerator, denominator: denominator)
    }

    /// A whole number of digits alone.
    fileprivate static func part(_ digits: UnsafeRawBufferPointer.SubSequence) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}
