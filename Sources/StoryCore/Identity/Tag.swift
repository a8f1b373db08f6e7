/// The mark that a client puts before a request and gets back on each line of its reply: 1–32 bytes.
package struct Tag: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...32

    package let bytes: [UInt8]

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Tag.length) else { return nil }
        self.bytes = Array(bytes)
    }

    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { Alphabet.text(bytes) }
}
