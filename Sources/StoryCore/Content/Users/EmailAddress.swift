/// The rules of a user's e-mail address.
package enum EmailAddress {
    /// The maximum length of an address, in bytes.
    package static let maxCount = 254

    /// Returns true for one `@`, a dot inside the domain, and no space or control byte.
    package static func isWellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: 0x40), bytes.lastIndex(of: 0x40) == at, at > 0 else { return false }
        let domain = bytes[(at + 1)...]
        guard let first = domain.first, let last = domain.last, first != 0x2E, last != 0x2E, domain.contains(0x2E)
        else { return false }
        return !bytes.contains(0x20) && TextShape.line.fits(bytes)
    }

    /// Returns the address with its ASCII letters in lower case: two addresses are the same when these are equal.
    package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension FormReader {
    /// Reads an e-mail address: one `@`, a dot inside the domain, at most 254 bytes, no space or control byte.
    mutating func email(_ field: FieldID) -> Text? {
        guard let bytes = string(field) else { return nil }
        guard !TextShape.isBlank(bytes) else { return refused(field, .empty, "must not be empty") }
        guard bytes.count <= EmailAddress.maxCount else {
            return refused(field, .tooLong, "must have at most \(EmailAddress.maxCount) bytes")
        }
        guard EmailAddress.isWellFormed(bytes) else {
            return refused(field, .malformed, "must be an address such as name@example.org")
        }
        return Text(ByteView(borrowing: bytes))
    }
}
