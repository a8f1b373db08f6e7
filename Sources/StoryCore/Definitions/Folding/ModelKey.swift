/// The key of a row: one to four parts, each as its length in two bytes, the higher first, and its bytes.
package enum ModelKey {
    private static let lengthCount = 2

    /// Returns the key of parts; nil where they make none.
    static func make(
        _ parts: UnsafeBufferPointer<UnsafeRawBufferPointer>, in memory: FoldMemory
    ) -> UnsafeRawBufferPointer? {
        var count = 0
        for part in parts {
            guard 1...DefinitionLimits.keyPart ~= part.count else { return nil }
            count += part.count
        }
        guard count <= DefinitionLimits.key else { return nil }
        let start = memory.allocate(count + parts.count * lengthCount)
        var next = start
        for part in parts {
            next.storeBytes(of: UInt16(truncatingIfNeeded: part.count).bigEndian, as: UInt16.self)
            if let source = part.baseAddress {
                (next + lengthCount).copyMemory(from: source, byteCount: part.count)
            }
            next += lengthCount + part.count
        }
        return UnsafeRawBufferPointer(start: start, count: next - start)
    }

    /// Calls `body` with each part of a key.
    package static func forEachPart(_ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while offset + lengthCount <= key.count {
            let start = offset + lengthCount
            let count = Int(key[offset]) << 8 | Int(key[offset + 1])
            let end = min(start + count, key.count)
            body(UnsafeRawBufferPointer(rebasing: key[start..<end]))
            offset = end
        }
    }

    /// Appends the row's ID: the parts with `/` between them, percent-encoded (RFC 3986) outside the ID alphabet.
    package static func appendID(of key: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        var isFirst = true
        forEachPart(key) { part in
            if !isFirst { bytes.append(0x2F) }
            isFirst = false
            for byte in part { Alphabet.holds(byte) ? bytes.append(byte) : bytes.append(percentEncoding: byte) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(percentEncoding byte: UInt8) {
        append(0x25)
        for digit in [byte >> 4, byte & 0xF] { append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10) }
    }
}
