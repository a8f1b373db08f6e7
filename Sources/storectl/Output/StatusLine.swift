import Glibc
import StoryBrowser
import Synchronization

/// The line of standard error that long work draws over and over, on a terminal only. It needs no escape sequence.
enum StatusLine {
    /// How many columns are drawn on.
    private static let drawn = Mutex(0)

    /// True where a person sees it.
    static var isWanted: Bool { Terminal.isShown(on: STDERR_FILENO) && Terminal.obeysSequences }

    /// How many columns it may take: in the last one the cursor would go to the next line.
    static var width: Int { (Terminal.size(of: STDERR_FILENO)?.columns ?? 80) - 1 }

    /// Draws a text over the one before.
    static func show(_ text: String) {
        guard isWanted else { return }
        drawn.withLock { draw(text, over: &$0) }
    }

    /// Leaves an empty line, where something was drawn.
    static func erase() {
        drawn.withLock { drawn in
            guard drawn > 0 else { return }
            draw("", over: &drawn)
        }
    }

    /// Likewise, before an end at once: another thread may be drawing for ever.
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
