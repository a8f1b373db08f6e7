import Foundation

/// A file of JSON lines. Each is written when it is known, so that a run that is broken off has told what it saw.
final class LineFile {
    private let path: String?

    /// Begins the file anew; without a path nothing is written.
    init(writingTo path: String?) throws(BenchError) {
        self.path = path
        guard let path else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw BenchError("cannot write \(path)")
        }
    }

    func add(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let path, let data = try? encoder.encode(line), let file = FileHandle(forWritingAtPath: path) else {
            return
        }
        file.seekToEndOfFile()
        file.write(data + Data([0x0A]))
        try? file.close()
    }

    /// The lines of a file; nil when there is none.
    static func lines(of path: String) -> [Data]? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.split(separator: "\n").map { Data($0.utf8) }
    }

    /// Those of the lines that are of a type: each type has members that no other has.
    static func those<Line: Decodable>(_ type: Line.Type, of lines: [Data]) -> [Line] {
        let decoder = JSONDecoder()
        return lines.compactMap { try? decoder.decode(type, from: $0) }
    }
}
