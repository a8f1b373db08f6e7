/// The key that makes a write happen once for ever: 1–128 bytes of the alphabet, chosen by the client.
package struct RequestKey: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...128

    package let bytes: [UInt8]

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: RequestKey.length) else { return nil }
        self.bytes = Array(bytes)
    }

    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { Alphabet.text(bytes) }
}
