import CEdit
import FoundationEssentials
import Glibc
import StoryCore
import StoryStorage
import StoryWire

/// The line that is typed, edited by libedit, with what was typed before and completion.
///
/// The library knows one line and calls back without a context, so there is one editor, for one thread.
final class LineEditor {
    /// What a key made of the line.
    enum Step {
        case typing
        case line(String)
        /// A line that cannot be sent as it was typed; a sentence says why.
        case refused(String)
        case end
    }

    private static let prompt = "story> "
    private static let clearedLine = Terminal.obeysSequences ? "\r\u{1B}[K" : "\r\n"
    private static let keptLines: Int32 = 1_000

    // What the callbacks reach.
    nonisolated(unsafe) private static var entered: Step?
    nonisolated(unsafe) private static var typed = TypedCharacters(takesUnicode: false)
    private static let completion = RequestCompletion(.standard)

    private let history: String?
    /// How the terminal was set; nil where it does not say.
    private let settings: termios?
    private var isBegun = false
    /// True once a key was typed: before that the library's line is the one before.
    private var isTyped = false

    /// - Parameter history: the file with what was typed in earlier conversations; nil for none.
    init(history: String?) {
        self.history = history
        settings = LineEditor.terminalSettings()
        // The library works in the locale of the process, and drops what that has no characters for.
        LineEditor.typed = TypedCharacters(takesUnicode: setlocale(LC_CTYPE, "C.UTF-8") != nil)
        storykeep_read_with { _ in
            LineEditor.typed.read(TypedCharacters.nextByte).map { Int32(bitPattern: $0) } ?? EOF
        }
        using_history()
        stifle_history(LineEditor.keptLines)
        if let history { read_history(history) }
        let breaks = strdup(RequestCompletion.wordBreaks)
        storykeep_complete_with({ word, start, _ in LineEditor.complete(word, start: start) }, breaks)
    }

    /// The file with what was typed before, in the XDG state directory; nil where there is no home.
    static var historyPath: String? {
        guard let folder = try? ProcessInput.paths().state() else { return nil }
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: mode)
        return folder + "/history"
    }

    /// Shows an empty line to type in.
    func begin() {
        LineEditor.entered = nil
        isBegun = true
        isTyped = false
        LineEditor.typed.beginLine()
        rl_callback_handler_install(LineEditor.prompt) { LineEditor.take($0) }
        LineEditor.keepKeysAsTyped()
    }

    /// Reads what was typed.
    func readKey() -> Step {
        isTyped = true
        rl_callback_read_char()
        guard let entered = LineEditor.entered else { return .typing }
        pause()
        if case .line(let line) = entered, !line.isEmpty { keep(line) }
        return entered
    }

    /// Lets something else be printed above the line that is being typed.
    func interrupt(_ body: () -> Void) {
        guard isBegun else { return body() }
        let typed = isTyped ? storykeep_line().map { String(cString: $0) } ?? "" : ""
        let before = LineEditor.typed
        pause()
        Terminal.write(LineEditor.clearedLine)
        body()
        begin()
        LineEditor.typed = before
        guard !typed.isEmpty else { return }
        isTyped = true
        rl_insert_text(typed)
        // The library shows prompt and line from the first column on, wherever the cursor is.
        Terminal.write(LineEditor.clearedLine)
        rl_forced_update_display()
    }

    /// Gives the terminal back as it was.
    func end() {
        pause()
        Terminal.write("\n")
        if let settings { LineEditor.giveBack(settings) }
    }

    /// How the terminal is set, and stays set after an end at once; nil where it does not say.
    private static func terminalSettings() -> termios? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        let saved = settings
        Interruption.beforeAbruptEnd { giveBack(saved) }
        return saved
    }

    /// Sets what the library makes of the terminal while no line is edited: keys stay as they are typed.
    ///
    /// A terminal that gathers lines would turn a Ctrl-D that is typed while an answer is awaited into a zero byte, and
    /// show twice what is typed then. The library learns the key of the end when it first shows a line, so this is
    /// said behind that.
    private static func keepKeysAsTyped() {
        guard let command = strdup("setty -x -icanon -echo") else { return }
        rl_parse_and_bind(command)
        free(command)
    }

    private static func giveBack(_ settings: termios) {
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    private func pause() {
        guard isBegun else { return }
        isBegun = false
        rl_callback_handler_remove()
    }

    private func keep(_ line: String) {
        add_history(line)
        guard let history else { return }
        write_history(history)
        chmod(history, 0o600)
    }

    private static func take(_ line: UnsafeMutablePointer<CChar>?) {
        guard let line else { return entered = .end }
        defer { free(line) }
        let text = String(validatingCString: line)
        guard let text, !typed.isSpoiled || !text.unicodeScalars.contains(typed.mark) else {
            let sentence =
                typed.takesUnicode
                ? "the line has bytes that are no text in UTF-8; set the terminal to UTF-8, and type it again"
                : "this system has no locale C.UTF-8, so only ASCII can be typed; send the line with \"storectl pipe\""
            return entered = .refused(sentence)
        }
        entered = .line(text)
    }

    /// A list for the library, which frees it: what all words have in common, then the words; null where there is none.
    private static func complete(
        _ word: UnsafePointer<CChar>?, start: Int32
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        guard let word, let typed = storykeep_line() else { return nil }
        // The library counts characters, not bytes.
        let line = String(String.UnicodeScalarView(String(cString: typed).unicodeScalars.prefix(Int(start))))
        let words = completion.words(after: line, String(cString: word))
        let isWhole = words.count == 1 && !["=", "/", ":"].contains { words[0].hasSuffix($0) }
        storykeep_completed(isWhole ? 0x20 : 0)
        guard let first = words.first else { return nil }
        let common = words.dropFirst().reduce(first) { String(zip($0, $1).prefix { $0 == $1 }.map(\.0)) }
        let texts = [common] + words
        guard let memory = calloc(texts.count + 1, MemoryLayout<UnsafeMutablePointer<CChar>?>.stride) else {
            return nil
        }
        let list = memory.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        for (index, text) in texts.enumerated() { list[index] = strdup(text) }
        return list
    }
}
