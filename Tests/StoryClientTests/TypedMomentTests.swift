import Foundation
import TestSupport
import Testing

@testable import StoryClient

/// Times, yes and no as people type them.
struct TypedMomentTests {
    /// 2026-11-25T19:30:15.250Z.
    private let now = Date(timeIntervalSince1970: 1_795_635_015.25)

    @Test(arguments: [
        ("2026-11-20", "2026-11-20T00:00:00.000Z"), ("2026-11-20 12:34", "2026-11-20T12:34:00.000Z"),
        ("2026-11-20T12:34:56", "2026-11-20T12:34:56.000Z"), ("2026-11-20 12:34:56.5", "2026-11-20T12:34:56.500Z"),
        ("2026-11-20T12:34:56Z", "2026-11-20T12:34:56Z"), ("2026-11-20T12:34:56+09:00", "2026-11-20T12:34:56+09:00"),
        ("9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59-23:59"),
        ("now", "2026-11-25T19:30:15.250Z"), ("today", "2026-11-25T00:00:00.000Z"),
        ("Yesterday", "2026-11-24T00:00:00.000Z"),
        ("tomorrow", "2026-11-26T00:00:00.000Z"), ("1h", "2026-11-25T18:30:15.250Z"),
        ("30m", "2026-11-25T19:00:15.250Z"),
        ("90s ago", "2026-11-25T19:28:45.250Z"), ("2d", "2026-11-23T19:30:15.250Z"), ("1w", "2026-11-18T19:30:15.250Z"),
        ("1h30m", "2026-11-25T18:00:15.250Z"), ("0s", "2026-11-25T19:30:15.250Z"),
    ])
    func `a moment is what the protocol spells so`(text: String, expected: String) {
        expect(TypedMoment.rfc3339(text, now: now) == expected)
    }

    @Test(arguments: [
        "", "5", "h", "1x", "1h ", "-1h", "1.5h", "2026-11", "2026-13-01", "2026-02-30", "20261120", "noon", "ago",
        "1h2",
        "99999999999999999999h", "9223372036854775807w", "9000000000000000s", "99999999d",
    ])
    func `what names no moment is none`(text: String) { expect(TypedMoment.read(text, now: now) == nil) }

    @Test func `yes and no are read in any case`() {
        expect(["yes", "Yes", "true", "TRUE"].allSatisfy { TypedFlag.read($0) == true })
        expect(["no", "NO", "false"].allSatisfy { TypedFlag.read($0) == false })
        expect(["", "y", "1", "yes "].allSatisfy { TypedFlag.read($0) == nil })
    }

    @Test(arguments: [
        ("a", "a"), ("stories/12345", "stories/12345"), ("note-*", "note-*"), ("a@example.org", "a@example.org"),
        ("A,B", "A,B"),
        ("store://users/7", "store://users/7"), ("2026-11-20T12:34:56+09:00", "2026-11-20T12:34:56+09:00"),
        ("", "\"\""),
        ("{a}@example.org", "\"{a}@example.org\""), ("[a", "\"[a\""), ("a=b", "\"a=b\""), (" a", "\" a\""),
        ("a b", "\"a b\""),
        ("\"a\"", #""\"a\"""#), ("a\\b", #""a\\b""#), ("a\nb\t", #""a\nb\t""#), ("é", "\"é\""),
        ("\u{7F}", #""\u007f""#),
    ])
    func `a value is quoted where it would mean something else`(text: String, spelled: String) {
        expect(WireText.spelled(text) == spelled)
    }
}
