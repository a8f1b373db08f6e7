/// What happened, as a name: 1–64 bytes of the alphabet, such as `StoryPosted`.
package struct EventType: Hashable, Sendable, CustomStringConvertible {
    package static let length = 1...64

    package let bytes: [UInt8]

    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: EventType.length) else { return nil }
        self.bytes = Array(bytes)
    }

    package init(trusted bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { Alphabet.text(bytes) }
}
