import Glibc
import StoryBrowser

/// Standard output, which carries only data and is written in large blocks; and standard error, for the rest.
///
/// On a terminal, the control characters of every text are replaced here.
final class Output {
    private static let blockSize = 65_536

    private let isTerminal = Terminal.isShown(on: STDOUT_FILENO)
    private var waiting: [UInt8] = []
    /// The number of bytes that were written.
    private(set) var writtenCount: UInt64 = 0
    /// The number of bytes that were written or are buffered.
    var count: UInt64 { writtenCount + UInt64(waiting.count) }

    /// Writes a line of data.
    func line(_ text: String) throws(CommandError) { try line(Array(text.utf8)) }

    /// Writes a line of data, unchanged unless it goes to a terminal.
    func line(_ bytes: [UInt8]) throws(CommandError) {
        waiting.append(contentsOf: isTerminal ? Output.safe(bytes) : bytes)
        waiting.append(0x0A)
        if waiting.count >= Output.blockSize { try flush() }
    }

    /// Writes a line of data, on a terminal with its styles.
    func line(_ line: Line) throws(CommandError) {
        guard Terminal.showsColours(on: STDOUT_FILENO) else { return try self.line(line.text) }
        waiting.append(contentsOf: ScreenEncoder.text(of: line).utf8)
        waiting.append(0x0A)
        if waiting.count >= Output.blockSize { try flush() }
    }

    /// Writes the line above a table, in bold on a terminal.
    func heading(_ text: String) throws(CommandError) {
        guard isTerminal else { return try line(text) }
        waiting.append(contentsOf: Terminal.bold(Shown.safe(text), on: STDOUT_FILENO).utf8)
        waiting.append(0x0A)
    }

    /// Writes the buffered bytes.
    func flush() throws(CommandError) {
        guard !waiting.isEmpty else { return }
        defer { waiting.removeAll(keepingCapacity: true) }
        if isTerminal { StatusLine.erase() }
        guard let error = WholeWrite.run(waiting, to: STDOUT_FILENO, { writtenCount += UInt64($0) }) else { return }
        if error == EPIPE { LostReader.end() }
        throw .unwritable("standard output", error)
    }

    /// Reports that there was nothing to write, on a terminal only, where a person could take that for a fault.
    func tellNothing() throws(CommandError) {
        try flush()
        if isTerminal { Output.complain(raw: "nothing there") }
    }

    /// Writes an error to standard error, in one line.
    static func complain(_ sentence: String) {
        tell(Terminal.red("storectl:", on: STDERR_FILENO) + " " + Shown.safe(sentence))
    }

    /// Writes a line that is not an error to standard error.
    static func complain(raw line: String) {
        tell(Terminal.isShown(on: STDERR_FILENO) ? Shown.safe(lines: line) : line)
    }

    private static func tell(_ line: String) {
        StatusLine.erase()
        // A failure to write to standard error cannot be reported.
        _ = WholeWrite.run(Array((line + "\n").utf8), to: STDERR_FILENO)
    }

    private static func safe(_ bytes: [UInt8]) -> [UInt8] {
        Array(Shown.safe(lines: String(decoding: bytes, as: UTF8.self)).utf8)
    }
}

/// The end of a process whose standard output has lost its reader.
enum LostReader {
    /// Watches the reader, so that the process ends even while there is nothing to write.
    static func endsProcess() {
        var thread = pthread_t()
        // Without the thread, the next write ends the process.
        guard pthread_create(&thread, nil, { _ in LostReader.wait() }, nil) == 0 else { return }
        pthread_detach(thread)
    }

    /// Ends the process as SIGPIPE does, even when the signal is ignored, as in services.
    static func end() -> Never {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }

    private static func wait() -> UnsafeMutableRawPointer? {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 1 {
            guard errno == EINTR else { return nil }
        }
        // A descriptor that is not open never had a reader: the first write reports it.
        if output.revents & Int16(POLLNVAL) == 0 { end() }
        return nil
    }
}
