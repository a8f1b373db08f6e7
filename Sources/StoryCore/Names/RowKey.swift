/// The key of a row in the table of its kind: an ID, or the parts of a declared key, each after its length in two bytes.
///
/// A key in a request line is valid until the request is handled; code that keeps it longer uses `kept`.
@usableFromInline
package struct RowKey: Hashable, Sendable {
    /// The length of a key, in bytes: with its own length before it, it is shorter than LMDB's longest key.
    package static let length = 1...408

    /// The bytes of the key.
    package let spelling: ByteView

    /// Creates the key of a row that has an ID.
    package init(_ id: Identifier) { spelling = id.spelling }

    /// Creates a key of a view of bytes that the caller has checked.
    package init(trusted spelling: ByteView) { self.spelling = spelling }

    /// The key as the ID that it is, in a kind whose rows have IDs.
    package var id: Identifier { Identifier(trusted: spelling) }

    /// The same key in a copy of the bytes that it owns.
    package var kept: RowKey { RowKey(trusted: spelling.kept) }
}

/// The form of the keys of a kind's rows, and of their text in targets and replies.
package enum RowKeyShape: BitwiseCopyable, Equatable, Sendable {
    /// The number of parts that a key may have.
    private static let partCounts = 1...4
    /// The length of a part, in bytes.
    private static let partLength = 1...256
    /// The greatest length of all parts together, in bytes.
    private static let maxPartsLength = 400
    /// The number of bytes of a part's length, which is before it.
    private static let lengthCount = 2

    /// An ID, which is its own text.
    case id
    /// One to four parts. The text has them percent-encoded (RFC 3986) with `/` between; bytes of the alphabet of IDs
    /// are not encoded.
    case someParts

    /// The length of a key, in bytes.
    package var keyLength: ClosedRange<Int> {
        switch self {
        case .id: Identifier.length
        case .someParts: RowKey.length
        }
    }

    /// The form of the text, for a sentence.
    package var usage: String {
        switch self {
        case .id: "an ID is 1–64 bytes of A–Z a–z 0–9 . _ ~ -"
        case .someParts:
            "this ID has 1–4 parts with / between, each of 1–256 bytes, at most 400 together; bytes other than A–Z a–z "
                + "0–9 . _ ~ - are written as %XX"
        }
    }

    // MARK: Parts

    /// Appends a part of a key; returns false where it is too short or too long.
    package static func append(_ part: some Collection<UInt8>, to key: inout [UInt8]) -> Bool {
        guard partLength.contains(part.count) else { return false }
        key.append(UInt8(truncatingIfNeeded: part.count >> 8))
        key.append(UInt8(truncatingIfNeeded: part.count))
        key.append(contentsOf: part)
        return true
    }

    /// Returns the first part of a key of parts; nil for a damaged key.
    package static func firstPart(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard key.count > lengthCount else { return nil }
        let count = Int(key[0]) << 8 | Int(key[1])
        return count <= key.count - lengthCount ? key.slice(lengthCount, count: count) : nil
    }

    /// Returns true when a key with its parts' lengths has a valid length.
    package func isValid(count: Int) -> Bool {
        switch self {
        case .id: Identifier.length.contains(count)
        case .someParts:
            RowKeyShape.lengthCount + 1...RowKeyShape.maxPartsLength + RowKeyShape.partCounts.upperBound
                * RowKeyShape.lengthCount ~= count
        }
    }

    /// Calls `body` with the bytes of the key's text, one after the other.
    ///
    /// - Parameter key: the bytes of a key of this shape; a damaged one has a shorter text.
    package func forEachByte(of key: UnsafeRawBufferPointer, _ body: (UInt8) -> Void) {
        guard self == .someParts else { return key.forEach(body) }
        var start = 0
        while key.count - start > RowKeyShape.lengthCount {
            let count = Int(key[start]) << 8 | Int(key[start + 1])
            if start > 0 { body(0x2F) }
            start += RowKeyShape.lengthCount
            for byte in key[start..<min(start + count, key.count)] { RowKeyShape.encode(byte, body) }
            start += count
        }
    }

    private static func encode(_ byte: UInt8, _ body: (UInt8) -> Void) {
        guard !Alphabet.holds(byte) else { return body(byte) }
        body(0x25)
        body(hexadecimal(byte >> 4))
        body(hexadecimal(byte & 15))
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x41 + digit - 10 }

    /// Returns the text of a key of one part that is its own text; nil for another key.
    package static func plainText(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let part = firstPart(of: key), part.count == key.count - lengthCount, part.allSatisfy(Alphabet.holds)
        else { return nil }
        return part
    }

    /// Returns the text of a key.
    package func text(of key: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(key.count)
        forEachByte(of: key) { text.append($0) }
        return text
    }

    // MARK: Text

    /// Returns the key with a text of a target.
    ///
    /// - Throws: the rule that the text breaks.
    package func key(of text: UnsafeRawBufferPointer) throws(FieldRule) -> [UInt8] {
        guard self == .someParts else {
            guard !text.isEmpty else { throw .empty }
            guard text.count <= Identifier.length.upperBound else { throw .tooLong }
            guard text.allSatisfy(Alphabet.holds) else { throw .malformed }
            return [UInt8](text)
        }
        // Each byte of a part has at most three in the text.
        let counts = RowKeyShape.partCounts
        guard text.count <= 3 * RowKeyShape.maxPartsLength + counts.upperBound else { throw .tooLong }
        if Alphabet.spells(text, within: RowKeyShape.partLength) {
            // Most keys are one part that is its own text.
            var key: [UInt8] = []
            key.reserveCapacity(RowKeyShape.lengthCount + text.count)
            _ = RowKeyShape.append(text, to: &key)
            return key
        }
        let parts = text.split(separator: 0x2F, maxSplits: counts.upperBound, omittingEmptySubsequences: false)
        guard counts.contains(parts.count) else { throw text.isEmpty ? .empty : .malformed }
        var key: [UInt8] = []
        for part in parts {
            guard let decoded = RowKeyShape.decoded(part) else { throw .malformed }
            guard RowKeyShape.append(decoded, to: &key) else {
                throw decoded.isEmpty ? .empty : .tooLong
            }
        }
        guard key.count <= RowKeyShape.maxPartsLength + parts.count * RowKeyShape.lengthCount else { throw .tooLong }
        return key
    }

    /// Returns a part without its percent-encoding; nil where it is malformed.
    private static func decoded(_ part: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            if Alphabet.holds(byte) {
                bytes.append(byte)
            } else {
                guard byte == 0x25, let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
