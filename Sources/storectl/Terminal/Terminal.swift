import Glibc
import StoryBrowser

/// The terminal that a stream is connected to, if any.
enum Terminal {
    /// Returns true when the stream goes to a terminal.
    static func isShown(on descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True when standard input and standard output are terminals.
    static var isConversation: Bool { isShown(on: STDIN_FILENO) && isShown(on: STDOUT_FILENO) }

    /// True unless the user disabled colours (no-color.org).
    static var areColoursWanted: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

    /// True when `TERM` names a terminal that obeys escape sequences.
    static var obeysSequences: Bool {
        guard let name = getenv("TERM"), name.pointee != 0 else { return false }
        return strcmp(name, "dumb") != 0
    }

    /// The number of columns of standard output; nil when it is not a terminal.
    static var width: Int? { size(of: STDOUT_FILENO)?.columns }

    /// Returns the size of a stream's terminal, 80 by 24 when it is unknown; nil when the stream is not a terminal.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        guard isShown(on: descriptor) else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Writes to the terminal of standard output at once, past the buffer.
    static func write(_ text: String) { _ = WholeWrite.run(Array(text.utf8), to: STDOUT_FILENO) }

    /// Writes to the terminal of standard output, unless it accepts no output.
    static func writeUnlessStopped(_ text: String) {
        var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        let bytes = Array(text.utf8)
        if poll(&waiting, 1, 200) > 0 { _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count) }
    }

    /// Returns the text in bold, when a terminal shows colours and they are enabled.
    static func bold(_ text: String, on descriptor: Int32) -> String { styled(text, "1", on: descriptor) }

    /// Returns the text in red, likewise.
    static func red(_ text: String, on descriptor: Int32) -> String { styled(text, "31", on: descriptor) }

    /// Returns true when the stream goes to a terminal that shows colours, and they are enabled.
    static func showsColours(on descriptor: Int32) -> Bool {
        isShown(on: descriptor) && areColoursWanted && obeysSequences
    }

    private static func styled(_ text: String, _ code: String, on descriptor: Int32) -> String {
        showsColours(on: descriptor) ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// A question at the terminal, whose answer is a line.
enum Question {
    /// Asks, and waits for a line.
    ///
    /// - Parameter interruption: the descriptor that is readable once the run was interrupted.
    /// - Returns: the line without its end; nil where the terminal has ended.
    /// - Throws: when the run was interrupted.
    static func ask(_ question: String, unless interruption: Int32) throws(CommandError) -> String? {
        Terminal.write(Shown.safe(question))
        var line: [UInt8] = []
        while !line.contains(0x0A) {
            var polled = [STDIN_FILENO, interruption].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polled, 2, -1) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = polled[1].revents == 0 ? read(STDIN_FILENO, &bytes, bytes.count) : 0
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else {
                Terminal.write("\n")
                if polled[1].revents != 0 { throw .silent(.interrupted) }
                return nil
            }
            line += bytes.prefix(count)
        }
        return String(decoding: line.prefix { $0 != 0x0A }, as: UTF8.self)
    }
}

/// A write that continues until all bytes are written, even if another program made the descriptor non-blocking.
enum WholeWrite {
    /// Writes the bytes, and waits while the descriptor accepts none.
    ///
    /// - Parameter each: takes the number of bytes that each call wrote.
    /// - Returns: the errno; nil once all bytes are written.
    static func run(_ bytes: [UInt8], to descriptor: Int32, _ each: (Int) -> Void = { _ in }) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                each(written)
            } else if errno == EAGAIN {
                // An error or a hang-up ends the wait as well, and the next write reports it.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
