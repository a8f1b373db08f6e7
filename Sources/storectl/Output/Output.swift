import Glibc
import StoryBrowser

/// Standard output, which carries data only, written in big blocks; and standard error, for the rest.
final class Output {
    private static let blockSize = 65_536

    private var waiting: [UInt8] = []
    /// How many bytes were written.
    private(set) var writtenCount: UInt64 = 0
    /// How many bytes were written or wait to be.
    var count: UInt64 { writtenCount + UInt64(waiting.count) }

    /// Writes a line of data.
    func line(_ text: String) throws(CommandError) { try line(Array(text.utf8)) }

    /// Writes a line of data, byte for byte.
    func line(_ bytes: [UInt8]) throws(CommandError) {
        waiting.append(contentsOf: bytes)
        waiting.append(0x0A)
        if waiting.count >= Output.blockSize { try flush() }
    }

    /// Begins at the top of an empty terminal.
    func clear() throws(CommandError) {
        waiting.append(contentsOf: "\u{1B}[H\u{1B}[2J".utf8)
        try flush()
    }

    /// Hands over what waits.
    func flush() throws(CommandError) {
        defer { waiting.removeAll(keepingCapacity: true) }
        var rest = waiting[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                writtenCount += UInt64(written)
            } else if errno != EINTR && errno != EAGAIN {
                throw .unwritable("standard output", errno)
            }
        }
    }

    /// Says why, on standard error, in one line.
    static func complain(_ sentence: String) {
        complain(raw: Terminal.red("storectl:", on: STDERR_FILENO) + " " + Shown.safe(sentence))
    }

    /// Writes a line to standard error as it is.
    static func complain(raw line: String) {
        let bytes = Array((line + "\n").utf8)
        // There is nowhere left to say that this failed.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Shows how far something is, over what was shown before; on a terminal only.
    static func progress(_ text: String) {
        guard Terminal.isShown(on: STDERR_FILENO) else { return }
        let bytes = Array(("\r\u{1B}[K" + text).utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
