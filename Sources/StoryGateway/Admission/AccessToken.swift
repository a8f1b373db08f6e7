import StoryCore
import Synchronization

/// The secret that lets a browser in.
package struct AccessToken: Sendable {
    /// The bytes of randomness of a token.
    static let randomBytes = 32
    /// The fewest and the most characters of a token that somebody chose.
    package static let lengths = 32...256

    /// The token, of letters, digits, `-` and `_`.
    package let text: String

    /// Makes a token of random bytes from the kernel.
    package static func random() -> AccessToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<randomBytes).map { _ in generator.next() as UInt8 }
        return AccessToken(trusted: String(decoding: bytes.hexadecimal, as: UTF8.self))
    }

    private init(trusted text: String) { self.text = text }

    /// Reads a token; nil where it is too short, too long, or has other characters.
    package init?(_ text: String) {
        guard AccessToken.lengths.contains(text.utf8.count), text.utf8.allSatisfy(RequestTarget.isOfWord) else {
            return nil
        }
        self.text = text
    }

    /// Returns true for the same text; the time depends on the length of `other` alone.
    func matches(_ other: String) -> Bool {
        let own = Array(text.utf8)
        var difference = other.utf8.count == own.count ? 0 : UInt8(1)
        for (index, byte) in other.utf8.enumerated() { difference |= byte ^ own[index % own.count] }
        return difference == 0
    }
}

/// A token that lets in once: a program that opens a browser shows its command line to all users of the machine.
package final class Ticket: Sendable {
    private let token: Mutex<AccessToken?>

    package init(_ token: AccessToken?) { self.token = Mutex(token) }

    /// Returns true the first time that the text is the ticket's.
    func admits(_ text: String) -> Bool {
        token.withLock { token in
            guard token?.matches(text) == true else { return false }
            token = nil
            return true
        }
    }
}
