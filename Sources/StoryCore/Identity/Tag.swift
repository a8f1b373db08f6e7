/// The mark that a client puts before a request and gets back on each line of its reply: 1–32 bytes.
@usableFromInline
package struct Tag: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...ShortBytes.capacity

    @usableFromInline package let spelling: ShortBytes

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Tag.length) else { return nil }
        self.init(trusted: Array(bytes))
    }

    /// Bytes that were checked by the caller.
    package init(trusted bytes: [UInt8]) { spelling = bytes.withUnsafeBytes { ShortBytes($0) } }

    /// Bytes that were checked by the caller; they are copied.
    package init(trusted bytes: UnsafeRawBufferPointer) { spelling = ShortBytes(bytes) }

    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
