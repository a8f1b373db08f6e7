import Glibc

/// What is known of the terminal that a stream goes to, if it goes to one.
enum Terminal {
    /// True when a person reads what is written there.
    static func isShown(on descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True when a person types and reads here.
    static var isConversation: Bool { isShown(on: STDIN_FILENO) && isShown(on: STDOUT_FILENO) }

    /// True unless somebody asked for no colours (no-color.org).
    static var areColoursWanted: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

    /// How many columns standard output has; nil when it is no terminal.
    static var width: Int? {
        guard isShown(on: STDOUT_FILENO) else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes to the terminal that is standard output, past what waits to be written.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// The text in bold, where a terminal shows colours and they are wanted.
    static func bold(_ text: String, on descriptor: Int32) -> String { styled(text, "1", on: descriptor) }

    /// The text in red, likewise.
    static func red(_ text: String, on descriptor: Int32) -> String { styled(text, "31", on: descriptor) }

    private static func styled(_ text: String, _ code: String, on descriptor: Int32) -> String {
        takesColours(descriptor) ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private static func takesColours(_ descriptor: Int32) -> Bool {
        guard isShown(on: descriptor), areColoursWanted else { return false }
        return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
    }
}
