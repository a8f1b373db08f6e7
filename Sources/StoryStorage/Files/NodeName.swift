/// The rules for the names of nodes and of their logs, which are words of `FORMAT` and parts of keys.
package enum NodeName {
    /// The greatest number of characters.
    package static let most = 64

    /// Returns true for a name: letters, digits, `.`, `-` and `_`, with a letter or a digit first.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isAlphanumeric(first), text.utf8.count <= most else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }
}
