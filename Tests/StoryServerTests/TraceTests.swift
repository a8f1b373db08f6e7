import StoryCore
import StoryServer
import Synchronization
import Testing

@Suite struct TraceTests {
    /// What is printed of one happening with one value.
    private func printed(_ value: String) -> String {
        let lines = Mutex<[UInt8]>([])
        let trace = Trace(now: { Instant(milliseconds: 0) }) { line in lines.withLock { $0 += line } }
        trace.say("happened", ["value": value])
        return lines.withLock { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("say \"so\"", #""say \"so\"""#),
        ("a\\b", #""a\\b""#), ("one\ntwo", #""one\ntwo""#), ("cr\rlf", #""cr\u{d}lf""#),
        ("\u{1B}[2Jgone", #""\u{1b}[2Jgone""#), ("nul\0", #""nul\u{0}""#), ("\u{85}\u{9B}31m", #""\u{85}\u{9b}31m""#),
        ("彩花", #""彩花""#), ("a\u{202E}b\u{2066}c", #""a\u{202e}b\u{2066}c""#),
        ("one\u{2028}two\u{2029}", #""one\u{2028}two\u{2029}""#),
    ])
    func `a value is one word of one line, whatever is in it`(value: String, shown: String) {
        #expect(printed(value) == "1970-01-01T00:00:00.000Z happened value=\(shown)\n")
    }

    @Test func `a long value is cut`() {
        let line = printed(String(repeating: "x", count: 100_000))
        #expect(line.hasSuffix("xxx\"\n"))
        #expect(line.count == 200 + "1970-01-01T00:00:00.000Z happened value=\"\"\n".count)
    }

    @Test func `a line that pretends to be another stays one line`() {
        let line = printed("x\n2026-01-01T00:00:00.000Z ready socket=/evil")
        #expect(line.split(separator: "\n").count == 1)
    }
}
