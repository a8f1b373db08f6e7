import Foundation
import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// Lines made of the table's own words, changed at random: each is a request or a failure, and nothing else happens.
/// `LINES=1000000` is the long form.
struct LineFuzzTests {
    /// How many lines each seed makes.
    private static let count = ProcessInfo.processInfo.environment["LINES"].flatMap { Int($0) } ?? 10_000

    private static let words: [String] =
        RequestTable.standard.shapes.map(\.verb.rawValue) + RequestTable.standard.shapes.map(\.example)
        + OptionName.allCases.map { $0.name + "=" } + Kind.allCases.map { $0.name + "/" }
        + Catalogue.standard.kinds.flatMap { kind in
            kind.sorts.map { "sort=" + $0.name } + kind.filters.map { $0.name + "=" }
        }
        + [
            "@t ", "events/", "-*", "store://", "\"", "\\", "\\u0041", "\\ud83d", "{", "}", "[", "]", ":", ",", " ",
            "  ",
            "{\"type\":\"A\",\"data\":{}}", "{\"a\":1,\"a\":2}", "null", "true", "-1", "1e9", "0", "彩", "\t", "\r",
            "\u{0}",
            "9007199254740992", "2026-11-20T12:34:56Z", "a,b", "\u{FEFF}", "\u{7F}",
        ]

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `changed lines give a request or a failure each`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let reader = RequestReader()
        var (requests, failures) = (0, 0)
        for _ in 0..<LineFuzzTests.count {
            let line = LineFuzzTests.line(&random)
            switch reader.read(bytes: line).result {
            case .success: requests += 1
            case .failure(let failure):
                failures += 1
                // A defect that the reader noticed itself is one all the same.
                let isSound = failure.code != .internal && (1...line.count + 1).contains(failure.column ?? 1)
                if !isSound { Issue.record("\(line) gave \(failure)") }
            }
        }
        #expect(requests > 100)
        #expect(failures > 100)
        #expect(reader.action("PING") == .ping)
    }

    private static func line(_ random: inout SplitMix64) -> [UInt8] {
        var line = Array((RequestTable.standard.shapes.randomElement(using: &random)?.example ?? "").utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) { change(&line, &random) }
        return line.filter { $0 != 0x0A }
    }

    static func change(_ line: inout [UInt8], _ random: inout SplitMix64) {
        let index = Int.random(in: 0...line.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: line.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 1: if index < line.count { line[index] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 2: line.removeSubrange(index..<min(line.count, index + Int.random(in: 1...6, using: &random)))
        case 3: line.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: index)
        case 4: line.removeLast(line.count - index)
        default: line += Array((" " + (words.randomElement(using: &random) ?? "")).utf8)
        }
    }
}
