import FoundationEssentials
import Glibc
import StoryBrowser
import StoryCore
import StoryStorage
import StoryWire

/// The line editor of the terminal, with history and completion.
///
/// Characters are read and shown in UTF-8, in every locale of the process.
final class LineEditor {
    /// The result of reading keys.
    enum Step {
        case typing
        case line(String)
        /// A line that cannot be sent as it was typed.
        case refused
        case end
    }

    private static let prompt = "story> "
    /// The time in which the bytes of one key come.
    private static let keyPause = Duration.milliseconds(50)

    private let completion = RequestCompletion(Kinds.table)
    /// The names of the store.
    private let names: StoreNames
    private let history: LineHistory
    /// The terminal's settings at the start; nil when they are unknown.
    private let settings: termios?
    private var line: TypedLine
    private var decoder = KeyDecoder()
    private var keys: [Key] = []
    private var lastRead = ContinuousClock.now
    private var isBegun = false
    /// The row of the cursor, counted from the line's first row.
    private var row = 0

    /// Prepares the terminal.
    ///
    /// - Parameter names: the names for words that only the store can complete.
    init(_ history: LineHistory, _ names: StoreNames) {
        (self.history, self.names) = (history, names)
        line = TypedLine(history: history.lines)
        settings = LineEditor.terminalSettings()
        // Canonical mode is off even while no line is edited: it would turn a Ctrl-D into a zero byte, and echo the
        // keys that are typed then a second time.
        takeKeys()
        Suspension.start()
    }

    /// True while keys of the last read are left.
    var hasKeys: Bool { !keys.isEmpty }

    /// Shows an empty line to type in.
    func begin() {
        line.begin()
        isBegun = true
        row = 0
        Terminal.write(LineEditor.prompt)
    }

    /// Reads keys, up to the end of a line.
    func readKeys() -> Step {
        if keys.isEmpty {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return .typing }
            guard count > 0 else { return .end }
            // A sequence comes at once: after a pause, its beginning was a key of its own, or none.
            let now = ContinuousClock.now
            if now - lastRead >= LineEditor.keyPause { keys = decoder.flush() }
            lastRead = now
            keys += decoder.keys(bytes.prefix(count)).flatMap(LineEditor.lines)
        }
        while !keys.isEmpty {
            switch line.press(keys.removeFirst()) {
            case .editing: continue
            case .entered(let text): return finish(.line(text))
            case .refused: return finish(.refused)
            case .completion: complete()
            case .clearing:
                Terminal.write("\u{1B}[H\u{1B}[2J")
                row = 0
            case .end: return .end
            }
        }
        draw()
        return .typing
    }

    /// Prints something else above the line that is being typed.
    func interrupt(_ body: () -> Void) {
        guard isBegun else { return body() }
        if Terminal.obeysSequences { Terminal.write(upToFirstRow + "\u{1B}[K") }
        body()
        row = 0
        draw()
    }

    /// Restores the terminal's settings.
    func end() {
        Terminal.write("\n")
        if let settings { LineEditor.giveBack(settings) }
    }

    /// Leaves the terminal to the shell while the process is stopped, if it is asked to stop, and shows the line again.
    func obeyStops() {
        guard let signal = Suspension.take() else { return }
        if signal == .stop {
            if let settings { LineEditor.giveBack(settings) }
            Suspension.stop()
        }
        takeKeys()
        row = 0
        if isBegun { draw() }
    }

    /// Returns the keys of a pasted text: each of its lines is a text, and their ends are Enter.
    private static func lines(_ key: Key) -> [Key] {
        guard case .pasted(let text?) = key else { return [key] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.map { [Key.pasted(String($0))] }.joined(separator: [.enter]))
    }

    /// Shows the whole line, and moves behind it.
    private func finish(_ step: Step) -> Step {
        isBegun = false
        if case .line(let text) = step, !text.isEmpty, text != line.history.last {
            history.append(text)
            line.begin(keeping: text)
            line.insert(text)
        }
        draw()
        // A terminal in canonical mode has shown the end of this line itself.
        if Terminal.obeysSequences { Terminal.write("\n") }
        line.begin()
        return step
    }

    private var upToFirstRow: String { "\r" + (row > 0 ? "\u{1B}[\(row)A" : "") }

    /// Draws the line and its cursor over the previous drawing.
    private func draw() {
        guard Terminal.obeysSequences else { return }
        let prompt = line.searched.map { "search \"\(Shown.safe($0))\": " } ?? LineEditor.prompt
        let layout = LineLayout(prompt, line, width: Terminal.width ?? 80)
        var text = upToFirstRow + "\u{1B}[J" + prompt + Shown.safe(line.text)
        // After a full row the cursor stays behind the last column until the next character; it belongs in the next
        // row.
        if layout.end.column == 0, layout.end.row > 0 { text += "\n\r" }
        let up = layout.end.row - layout.cursor.row
        if layout.cursor != layout.end {
            text += (up > 0 ? "\u{1B}[\(up)A" : "") + "\r"
            if layout.cursor.column > 0 { text += "\u{1B}[\(layout.cursor.column)C" }
        }
        Terminal.write(text)
        row = layout.cursor.row
    }

    /// Inserts the common prefix of all completions, or lists them.
    private func complete() {
        let before = line.before
        let start = before.lastIndex { RequestCompletion.wordBreaks.contains($0) }.map { before.index(after: $0) }
        let word = String(before[(start ?? before.startIndex)...])
        let rest = String(before[..<(start ?? before.startIndex)])
        let stored = completion.names(after: rest, word).map(names.words) ?? StoreNames.Words()
        // The lead of names that are there is no word of its own.
        let others = completion.words(after: rest, word).filter { $0 != word || stored.words.isEmpty }
        // The names of this store come first: the catalogue has types of events that it may have none of.
        let words = (stored.words + others).distinct
        guard let first = words.first else { return }
        let common = words.dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
        let isWhole = words.count == 1 && stored.areWhole && !["=", "/", ":"].contains { first.hasSuffix($0) }
        line.insert(String(common.dropFirst(word.count)) + (isWhole ? " " : ""))
        guard words.count > 1, common.count == word.count, Terminal.obeysSequences else { return }
        draw()
        Terminal.write("\n" + LineEditor.columns(words, width: Terminal.width ?? 80).joined(separator: "\n") + "\n")
        row = 0
    }

    /// Returns words in as many columns as fit, each from top to bottom.
    private static func columns(_ words: [String], width: Int) -> [String] {
        let gap = 2
        let column = (words.map(Shown.width).max() ?? 0) + gap
        let count = max(1, (width + gap) / column)
        let rows = (words.count + count - 1) / count
        return (0..<rows).map { row in
            let line = stride(from: row, to: words.count, by: rows).map { words[$0] }
            return line.dropLast().map { $0 + String(repeating: " ", count: column - Shown.width($0)) }.joined()
                + (line.last ?? "")
        }
    }
}

// The terminal.
extension LineEditor {
    /// Returns the terminal's settings, which are also restored after an end at once; nil when they are unknown.
    private static func terminalSettings() -> termios? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        let saved = settings
        Interruption.beforeAbruptEnd { giveBack(saved) }
        return saved
    }

    /// Turns canonical mode and echo off, so that keys come one by one; those that send signals still do.
    private func takeKeys() {
        guard var settings, Terminal.obeysSequences else { return }
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        settings.c_iflag &= ~tcflag_t(ICRNL | IXON | ISTRIP)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        Terminal.write(KeyDecoder.marksPastes)
    }

    private static func giveBack(_ settings: termios) {
        var settings = settings
        if Terminal.obeysSequences { Terminal.writeUnlessStopped(KeyDecoder.endsMarks) }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
}

/// The history of typed lines: a file of lines in UTF-8.
struct LineHistory {
    private static let keptLines = 1_000

    /// The path of the file; nil when there is no home directory for it.
    private let path: String?
    /// The newest lines, the oldest first.
    let lines: [String]

    /// Reads the file in the XDG state directory.
    init() {
        path = LineHistory.place
        guard let path, let bytes = FileManager.default.contents(atPath: path) else {
            lines = []
            return
        }
        // An earlier editor wrote lines in a spelling of its own.
        let isForeign = bytes.starts(with: "_HiStOrY_V2_".utf8)
        let all = isForeign ? [] : bytes.split(separator: 0x0A).compactMap { String(validating: $0, as: UTF8.self) }
        lines = all.suffix(LineHistory.keptLines)
        if isForeign || all.count > 2 * LineHistory.keptLines { rewrite() }
    }

    /// Appends a line to the file; a failure is ignored, and the line is then missing next time.
    func append(_ line: String) { write(line + "\n", O_APPEND) }

    private func rewrite() { write(lines.map { $0 + "\n" }.joined(), O_TRUNC) }

    private func write(_ text: String, _ flags: Int32) {
        guard let path else { return }
        // A pipe of that name that nobody reads holds up nothing.
        let number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0o600)
        guard number >= 0 else { return }
        let bytes = Array(text.utf8)
        _ = Glibc.write(number, bytes, bytes.count)
        close(number)
    }

    private static var place: String? {
        guard let folder = try? ProcessInput.paths().state() else { return nil }
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: mode)
        return folder + "/history"
    }
}
