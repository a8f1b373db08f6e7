import FoundationEssentials
import Glibc
import StoryCore
import StoryStorage

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
