import Glibc
import StoryBrowser

/// The terminal while a page is drawn on it: keys come one by one, and nothing else is shown.
///
/// The terminal is restored whenever the process ends, except by SIGKILL: here, or by the signal that ends it at once.
/// While the process is stopped, the shell has it (`pause`).
struct RawTerminal {
    /// The most bytes of one write, so that no write waits for a terminal that is stopped.
    private static let portion = 256

    private let settings: termios

    /// Saves the terminal's settings and sets it to raw mode.
    init(for verb: String, instead others: String) throws(CommandError) {
        let settings = try RawTerminal.check(for: verb, instead: others)
        self.settings = settings
        Interruption.beforeAbruptEnd { RawTerminal.giveBack(settings) }
        Suspension.start()
        guard take() else { throw .system("the terminal cannot be set: \(String(cString: strerror(errno)))") }
    }

    /// Sets the terminal to raw mode; false when the system refuses. In the background it waits for `fg`.
    private func take() -> Bool {
        var raw = settings
        cfmakeraw(&raw)
        while tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Gives the terminal back and stops the process where it is asked to stop, and takes the terminal again once it goes
    /// on; the whole screen is to be drawn then.
    func pause(_ signal: Suspension.Signal) {
        if signal == .stop {
            giveBack()
            Suspension.stop()
        }
        _ = take()
    }

    /// Returns the settings of the terminal, if there is one that can be drawn on.
    ///
    /// - Parameters:
    ///   - verb: the verb that needs a terminal.
    ///   - others: the verbs that need none.
    /// - Throws: a usage error when there is none.
    static func check(for verb: String, instead others: String) throws(CommandError) -> termios {
        var settings = termios()
        guard Terminal.isConversation, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw .usage("\(verb) needs a terminal for its input and its output; use \(others) in a pipe")
        }
        guard Terminal.obeysSequences else {
            let name = getenv("TERM").map { String(cString: $0) } ?? ""
            let found = name.isEmpty ? "TERM is not set" : "TERM is \(name)"
            throw .usage("\(verb) needs a terminal that moves its cursor, and \(found); use \(others)")
        }
        return settings
    }

    /// Restores the terminal's settings.
    func giveBack() { RawTerminal.giveBack(settings) }

    private static func giveBack(_ settings: termios) {
        var settings = settings
        // A terminal that accepts no output gets its settings at least.
        Terminal.writeUnlessStopped(ScreenEncoder.leaving)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// The size of the terminal now.
    var size: Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return .smallest
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Sends bytes to the terminal; false when it is gone, or the run was interrupted meanwhile.
    func send(_ bytes: [UInt8], unless interruption: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var polled = [
                pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&polled, 2, -1) < 0, errno != EINTR { return false }
            if polled[1].revents != 0 || polled[0].revents & Int16(POLLHUP | POLLERR) != 0 { return false }
            guard polled[0].revents != 0 else { continue }
            let written = rest.withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, min($0.count, RawTerminal.portion))
            }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR && errno != EAGAIN {
                return false
            }
        }
        return true
    }
}
