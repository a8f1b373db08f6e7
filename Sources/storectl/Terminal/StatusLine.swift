import Glibc
import StoryBrowser
import Synchronization

/// The line on standard error that long work draws repeatedly, on a terminal only. It needs no escape sequence.
enum StatusLine {
    /// The number of columns that are drawn on.
    private static let drawn = Mutex(0)

    /// True when a person sees the line.
    static var isWanted: Bool { Terminal.isShown(on: STDERR_FILENO) && Terminal.obeysSequences }

    /// The number of columns that it may use: after the last one the cursor would move to the next line.
    static var width: Int { (Terminal.size(of: STDERR_FILENO)?.columns ?? 80) - 1 }

    /// Draws a text over the previous one.
    static func show(_ text: String) {
        guard isWanted else { return }
        drawn.withLock { draw(text, over: &$0) }
    }

    /// Clears the line, if it was drawn.
    static func erase() {
        drawn.withLock { drawn in
            guard drawn > 0 else { return }
            draw("", over: &drawn)
        }
    }

    /// Clears the line before an end at once, without waiting for another thread, which may be blocked while it draws.
    static func eraseAtOnce() {
        _ = drawn.withLockIfAvailable { drawn in
            guard drawn > 0 else { return }
            draw("", over: &drawn)
        }
    }

    private static func draw(_ text: String, over drawn: inout Int) {
        let line = Shown.cut(Shown.safe(text), to: width)
        let columns = Shown.width(line)
        let rest = String(repeating: " ", count: max(0, drawn - columns))
        _ = WholeWrite.run(Array("\r\(line)\(rest)\(columns == 0 ? "\r" : "")".utf8), to: STDERR_FILENO)
        drawn = columns
    }
}
