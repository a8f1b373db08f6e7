import Glibc

/// A file that a command line names and that is read as a whole.
enum InputFile {
    /// The longest file, in bytes.
    private static let maxCount = 67_108_864

    /// Returns the bytes of a file; `-` is standard input.
    ///
    /// - Throws: when the file cannot be read, or is too long.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maxCount {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else { throw unreadable(path) }
            bytes += chunk.prefix(max(count, 0))
        }
        throw .system("\(path) is longer than \(maxCount) bytes")
    }

    private static func unreadable(_ path: String) -> CommandError {
        .system("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
