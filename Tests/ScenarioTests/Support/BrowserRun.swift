import Foundation
import Glibc
import TestSupport
import Testing

/// What a program on a terminal finds in its environment besides what a test says: the settings of a sanitizer.
enum SanitizerSettings {
    static let environment = ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { name in
        ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
    }
}

/// A browser on a terminal of its own.
final class BrowserRun {
    let daemon: RunningDaemon
    let terminal: Pseudoterminal
    private let folder: Scratch
    private let columns: UInt16

    /// Starts it on a daemon, with the list of stories unless something else is to be shown first.
    init(_ daemon: RunningDaemon, columns: UInt16 = 80, arguments: [String] = ["stories"]) throws {
        (self.daemon, self.columns) = (daemon, columns)
        folder = try Scratch()
        // The shell tells who the browser is and which terminal it has.
        let script = "echo $$ > \(folder.path)/pid; tty > \(folder.path)/tty; exec \"$@\""
        let command = [try Program.path("storectl"), "--socket", daemon.socket, "browse"] + arguments
        terminal = try Pseudoterminal(
            ["/bin/sh", "-c", script, "sh"] + command,
            environment: ["TERM=xterm", "PATH=/usr/bin:/bin"] + SanitizerSettings.environment, columns: columns)
    }

    /// The process of the browser.
    var pid: pid_t { pid_t(Files.text(folder.place("pid")).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 }

    /// What the terminal shows now.
    func screen(rows: Int = 24, columns: Int? = nil) -> VirtualScreen {
        var screen = VirtualScreen(columns: columns ?? Int(self.columns), rows: rows)
        screen.take(terminal.screen)
        return screen
    }

    /// Waits until something about what the terminal shows holds.
    func shows(_ what: String, rows: Int = 24, columns: Int? = nil, _ condition: (VirtualScreen) -> Bool) throws {
        try until("\(what):\n\(screen(rows: rows, columns: columns).text)") {
            // Waiting for nothing reads what has come.
            try terminal.waitFor("")
            if condition(screen(rows: rows, columns: columns)) { return true }
            usleep(20_000)
            return false
        }
    }

    func shows(_ text: String) throws { try shows(text) { $0.text.contains(text) } }

    /// Makes the terminal another size.
    func resize(columns: UInt16, rows: UInt16) throws {
        let name = Files.text(folder.place("tty")).trimmingCharacters(in: .whitespacesAndNewlines)
        let descriptor = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemRefused(call: "open of \(name)", code: errno) }
        defer { close(descriptor) }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw SystemRefused(call: "ioctl", code: errno) }
    }

    /// Checks that the terminal is as it was before the browser began.
    func expectRestored(_ location: SourceLocation = #_sourceLocation) {
        expect(terminal.isPlain, sourceLocation: location)
        expect(!screen().isOnSecondPage && screen().hasCursor, sourceLocation: location)
    }
}
