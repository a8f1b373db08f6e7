/// The part of a stream's name before its first `-`: 1–64 bytes of the alphabet, no `-`.
package struct CategoryName: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...64

    package let bytes: [UInt8]

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: CategoryName.length), !bytes.contains(0x2D) else { return nil }
        self.bytes = Array(bytes)
    }

    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { Alphabet.text(bytes) }
}
