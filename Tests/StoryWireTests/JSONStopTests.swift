import CSimdJSON
import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// Where reading JSON stops.
struct JSONStopTests {
    private let scanner = JSONScanner(capacity: 1_048_576)

    private func stop(_ text: [UInt8]) -> Int? { text.withUnsafeBytes { JSONStop.offset(in: $0) } }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("x", 0), ("[1,2,}", 5), ("[1 2]", 3), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{,}", 1),
        ("[,]", 1),
        ("{\"a\":1,}", 7), ("[1,]", 3), ("[1", 2), ("{\"a\":[{}", 8), ("tru", 3), ("trux", 3), ("nul]", 3), ("01", 1),
        ("-", 1), ("-x", 1), ("1.", 2), ("1.x", 2), ("1e", 2), ("1e+", 3), ("+1", 0), (".5", 0), ("\"a", 2),
        ("\"a\\q\"", 3), ("\"\\u12g4\"", 5), ("\"\\ud800\"", 7), ("\"\\ud800\\n\"", 8), ("\"\\ud800\\u0041\"", 9),
        ("\"\\ud800\\ud800\"", 10), ("\"\\udc00\"", 4), ("\"a\tb\"", 2), ("1 2", 2), ("{} {}", 3), ("[1}", 2),
        ("{\"a\":1]", 6),
    ])
    func `it is the first byte that no JSON has there`(text: String, offset: Int) {
        expect(stop(bytes(text)) == offset)
        expect(!scanner.scan(bytes(text)).isValid)
    }

    @Test func `what the scanner takes has no such byte, and what it refuses has one`() {
        var random = SplitMix64(seed: 33)
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\"", "1", "-2.5e3", "true", "null", " ", "x", "\"",
        ]
        var valid = 0
        for _ in 0..<20_000 {
            let text = bytes(
                (0..<Int.random(in: 1...8, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                    .joined())
            let result = scanner.scan(text).result
            // A number that is too great is found wherever else the text is wrong.
            guard result != .number_does_not_fit else { continue }
            let isSpelledWell = result == .ok || result == .duplicate_key
            let stop = stop(text)
            expect(
                (stop == nil) == isSpelledWell, "\(String(decoding: text, as: UTF8.self))"
            )
            valid += stop == nil ? 1 : 0
        }
        expect(valid > 500)
    }

    @Test func `a repeated key is found where it is repeated first`() {
        for count in [2, 15, 16, 17, 300] {
            var text = "{" + (0..<count).map { "\"k\($0)\":[\"k0\",{\"k0\":1}]" }.joined(separator: ",")
            let offset = text.utf8.count + 1
            text += ",\"k\(count - 1)\":0,\"k0\":0}"
            let document = scanner.scan(bytes(text))
            expect(document.result == .duplicate_key)
            expect(document.errorOffset == offset, "\(count)")
            expect(String(decoding: document.errorKey, as: UTF8.self) == "k\(count - 1)")
        }
    }

    @Test func `a text is read with the store's reason, or as it is`() throws {
        expect(try JSONValue.read(bytes("[1, 2]")).json == "[1, 2]")
        let failure = #expect(throws: Failure.self) { _ = try JSONValue.read(bytes("{\"a\":1,\"a\":2}")) }
        expect(failure?.message == "the JSON has the key \"a\" twice in one object")
        expect(failure?.detail == .column(8))
        #expect(throws: Failure(.syntax, "this is not UTF-8")) { _ = try JSONValue.read([0x22, 0xFF, 0x22]) }
    }
}
