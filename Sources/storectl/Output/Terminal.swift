import Glibc

/// The terminal that a stream goes to, where it goes to one.
enum Terminal {
    /// True when a person reads the stream.
    static func isShown(on descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True when a person types and reads here.
    static var isConversation: Bool { isShown(on: STDIN_FILENO) && isShown(on: STDOUT_FILENO) }

    /// True unless somebody asked for no colours (no-color.org).
    static var areColoursWanted: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

    /// True where `TERM` names a terminal that obeys escape sequences.
    static var obeysSequences: Bool {
        guard let name = getenv("TERM"), name.pointee != 0 else { return false }
        return strcmp(name, "dumb") != 0
    }

    /// How many columns standard output has; nil when it is no terminal.
    static var width: Int? { size(of: STDOUT_FILENO)?.columns }

    /// How large a stream's terminal is, 80 by 24 where it does not say; nil when it is no terminal.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        guard isShown(on: descriptor) else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Writes to the terminal that is standard output, past what waits to be written.
    static func write(_ text: String) { _ = WholeWrite.run(Array(text.utf8), to: STDOUT_FILENO) }

    /// The text in bold, where a terminal shows colours and they are wanted.
    static func bold(_ text: String, on descriptor: Int32) -> String { styled(text, "1", on: descriptor) }

    /// The text in red, likewise.
    static func red(_ text: String, on descriptor: Int32) -> String { styled(text, "31", on: descriptor) }

    private static func styled(_ text: String, _ code: String, on descriptor: Int32) -> String {
        isShown(on: descriptor) && areColoursWanted && obeysSequences ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
