import Glibc
import StoryGateway

/// The file of a token that lasts: it belongs to this user, and nobody else may read it.
enum TokenFile {
    /// Reads the token of a file, which is made with a random one where it does not exist.
    ///
    /// - Throws: the fault and the next step.
    static func token(_ path: String) throws(TokenFault) -> AccessToken {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            guard errno == EEXIST else { throw TokenFault("\(path) cannot be made: \(reason())") }
            return try read(path)
        }
        defer { close(made) }
        let token = AccessToken.random()
        let bytes = Array((token.text + "\n").utf8)
        guard write(made, bytes, bytes.count) == bytes.count else {
            let fault = TokenFault("\(path) cannot be written: \(reason())")
            unlink(path)
            throw fault
        }
        return token
    }

    private static func read(_ path: String) throws(TokenFault) -> AccessToken {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TokenFault("\(path) cannot be read: \(reason())") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid() else {
            throw TokenFault("\(path) is not a file of this user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw TokenFault("\(path) may be read by others: chmod 600 it, with another token in it")
        }
        var bytes = [UInt8](repeating: 0, count: AccessToken.lengths.upperBound + 2)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw TokenFault("\(path) cannot be read: \(reason())") }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        guard let token = AccessToken(text.hasSuffix("\n") ? String(text.dropLast()) : text) else {
            let lengths = AccessToken.lengths
            throw TokenFault(
                "\(path) has no token: one line of \(lengths.lowerBound) to \(lengths.upperBound) letters, digits, - or _"
            )
        }
        return token
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}

/// A token that cannot be used.
struct TokenFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
