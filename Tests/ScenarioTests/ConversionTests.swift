import Foundation
import TestSupport
import Testing

extension DaemonTests {
    /// A directory of each format that there was, served: every answer is the one that the older program gave. That of
    /// format 3, which version 0.1.0 wrote, was killed with its newest events in its journal alone.
    @Suite struct ConversionTests {
        private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "StoryLogTests/Fixtures")

        /// Questions, and the lines that the older program answered.
        private static func recorded(_ number: Int) throws -> [(question: String, lines: [String])] {
            let text = try String(
                contentsOf: fixtures.appending(path: number < 3 ? "rows.txt" : "rows-3.txt"), encoding: .utf8)
            return text.split(separator: "\n").map(String.init).reduce(into: []) { answers, line in
                if line.hasPrefix("? ") {
                    answers.append((String(line.dropFirst(2)), []))
                } else if !answers.isEmpty {
                    answers[answers.count - 1].lines.append(line)
                }
            }
        }

        private static func unpack(_ number: Int, into folder: Scratch) throws -> String {
            let program = Process()
            program.executableURL = URL(filePath: "/usr/bin/env")
            let archive = fixtures.appending(path: "format-\(number).tar.gz").path
            program.arguments = ["tar", "-xzf", archive, "-C", folder.place("")]
            try program.run()
            program.waitUntilExit()
            try #require(program.terminationStatus == 0)
            return folder.place(["one", "two", "three"][number - 1])
        }

        @Test(arguments: [1, 2, 3])
        func `it answers as before, with its models and with models folded anew`(number: Int) throws {
            let folder = try Scratch()
            let data = try Self.unpack(number, into: folder)
            let daemon = try RunningDaemon(data: data)
            for round in 1...2 {
                let client = try daemon.client()
                for (question, lines) in try Self.recorded(number) {
                    client.send(question)
                    let answered = try lines.map { _ in try client.line() }
                    // Rows with equal keys stood in another order in descending lists then.
                    let isList = number < 3 && question.hasPrefix("LIST")
                    #expect((isList ? answered.sorted() : answered) == (isList ? lines.sorted() : lines), "\(question)")
                }
                let count = number < 3 ? 89 : 105
                #expect(try client.ask("VERIFY") == #"+ {"verified":\#(count),"position":\#(count)}"#)
                client.hangUp()
                #expect(try daemon.stop() == .code(0), "\(daemon.trace)")
                #expect(try daemon.storectl("replay", "--verify", offline: true).exit == .code(0))
                if round == 1 {
                    try FileManager.default.removeItem(atPath: data + "/models")
                    try daemon.start()
                }
            }
            #expect(daemon.trace.contains("converting") == (number < 3), "\(daemon.trace)")
        }
    }
}
