/// The tag that a client puts before a request and gets back on each line of its reply: 1–32 bytes.
@usableFromInline
package struct Tag: Hashable, Sendable, CustomStringConvertible {
    /// The length of a tag, in bytes.
    package static let length = 1...ShortBytes.capacity

    /// The bytes of the tag.
    @usableFromInline package let spelling: ShortBytes

    /// Creates a tag; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Tag.length) else { return nil }
        self.init(trusted: Array(bytes))
    }

    /// Creates a tag from bytes that the caller has checked.
    package init(trusted bytes: [UInt8]) { spelling = bytes.withUnsafeBytes { ShortBytes($0) } }

    /// Creates a tag from a copy of bytes that the caller has checked.
    package init(trusted bytes: UnsafeRawBufferPointer) { spelling = ShortBytes(bytes) }

    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
