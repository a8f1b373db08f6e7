/// The ID of a user, story, message or photo: 1–64 bytes of the alphabet, compared byte by byte.
package struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// How long an ID may be, in bytes.
    package static let length = 1...64

    package let bytes: [UInt8]

    /// Nil when the bytes do not spell an ID.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Identifier.length) else { return nil }
        self.bytes = Array(bytes)
    }

    /// The ID spelled by text from the program itself; nil when it does not spell one.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// Bytes that were checked when they were stored.
    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { Alphabet.text(bytes) }
}
