import Foundation
import TestSupport
import Testing

extension DaemonTests {
    /// Directories that older programs wrote.
    @Suite struct FormatTests {
        private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "StoryLogTests/Fixtures")

        /// Requests, and the lines that the older program answered.
        private static func recorded() throws -> [(request: String, lines: [String])] {
            let text = try String(contentsOf: fixtures.appending(path: "rows-3.txt"), encoding: .utf8)
            return text.split(separator: "\n").map(String.init).reduce(into: []) { answers, line in
                if line.hasPrefix("? ") {
                    answers.append((String(line.dropFirst(2)), []))
                } else if !answers.isEmpty {
                    answers[answers.count - 1].lines.append(line)
                }
            }
        }

        private static func unpack(_ archive: String, into folder: Scratch) throws -> String {
            let command = ["tar", "-xzf", fixtures.appending(path: archive).path, "-C", folder.place("")]
            try require(try Program(command, output: "/dev/null", errors: "/dev/null").wait() == .code(0))
            let made = try Files.names(in: folder.place(""))
            try require(made.count == 1, "\(made)")
            return folder.place(made[0])
        }

        @Test func `what version 0·1·0 exported is imported, and answers as it did there`() throws {
            let folder = try Scratch()
            let data = folder.place("imported")
            let daemon = try RunningDaemon(data: data, isStarted: false)
            let lines = try String(contentsOf: Self.fixtures.appending(path: "export-3.lines"), encoding: .utf8)
            expect(try daemon.storectl("--data", data, "import", input: lines).exit == .code(0))
            try daemon.start()
            let client = try daemon.client()
            for (request, lines) in try Self.recorded() {
                client.send(request)
                expect(try lines.map { _ in try client.line() } == lines, "\(request)")
            }
            let verdict = try client.ask("VERIFY")
            expect(verdict.number("verified") == 105 && verdict.number("position") == 105, "\(verdict)")
            client.hangUp()
            expect(try daemon.stop() == .code(0), "\(daemon.trace)")
            expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
        }

        @Test(arguments: [2, 3])
        func `a directory of an older format is refused with the way to its events, and left unchanged`(
            format: Int
        ) throws {
            let folder = try Scratch()
            let data = try Self.unpack("format-\(format).tar.gz", into: folder)
            func bytes() throws -> [String: Data] {
                try ["FORMAT", "log/data.mdb", "log.journal"].reduce(into: [:]) { all, name in
                    all[name] = try Data(contentsOf: URL(filePath: data + "/" + name))
                }
            }
            let before = try bytes()
            let daemon = try RunningDaemon(data: data, isStarted: false)
            try daemon.launch()
            expect(try daemon.wait() == .code(2))
            let sentence =
                "has format \(format), and this program reads format 4: export it with the storectl of the version"
            expect(daemon.trace.contains(sentence), "\(daemon.trace)")
            let read = try daemon.storectl("count", "users", offline: true)
            expect(read.exit != .code(0) && read.errors.contains(sentence), "\(read)")
            expect(try bytes() == before)
        }
    }
}
