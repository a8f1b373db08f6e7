import StoryCore
import Testing
import TestSupport

struct InstantTests {
    @Test func `every instant is written and read back`() {
        var random = SplitMix64(seed: 2)
        for _ in 0..<4_000 {
            let instant = Instant(milliseconds: Int64.random(in: Instant.range, using: &random))
            expect(Instant(instant.text) == instant, "\(instant.milliseconds)")
            expect(instant.text.utf8.count == Instant.textCount)
        }
    }

    @Test func `texts stand in the order of the instants`() {
        var random = SplitMix64(seed: 3)
        let instants = (0..<1_000).map { _ in Instant(milliseconds: Int64.random(in: Instant.range, using: &random)) }
        expect(instants.sorted().map(\.text) == instants.map(\.text).sorted())
    }

    @Test func `each day of four centuries follows the day before`() {
        var expected = Instant(milliseconds: -11_676_096_000_000)
        expect(expected.text == "1600-01-01T00:00:00.000Z")
        for year in 1600..<2000 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                let text = "\(year)-\(two(month + 1))-\(two(days))T00:00:00.000Z"
                expected = Instant(milliseconds: expected.milliseconds + Int64(days - 1) * 86_400_000)
                expect(expected.text == text)
                expect(Instant(text) == expected)
                expect(Instant("\(year)-\(two(month + 1))-\(two(days + 1))T00:00:00Z") == nil)
                expected = Instant(milliseconds: expected.milliseconds + 86_400_000)
            }
        }
        expect(expected.text == "2000-01-01T00:00:00.000Z")
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000Z", 0), ("1970-01-01t00:00:00z", 0),
        ("1970-01-01 00:00:00Z", 0), ("1970-01-01T09:00:00+09:00", 0), ("1969-12-31T16:00:00-08:00", 0),
        ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T00:00:00.5Z", 500), ("1970-01-01T00:00:00.05Z", 50),
        ("1970-01-01T00:00:00.1239Z", 123), ("1970-01-01T00:00:00.999999999999999999999Z", 999),
        ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2024-02-29T12:00:00+23:59", 1_709_121_660_000), ("2026-11-20T12:34:56.789Z", 1_795_178_096_789),
        ("0000-01-01T00:00:00.000Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("2016-12-31T23:59:60Z", 1_483_228_799_999), ("2016-12-31T23:59:60.5Z", 1_483_228_799_999),
        ("2017-01-01T08:59:60+09:00", 1_483_228_799_999), ("0000-01-01T00:00:00-00:01", -62_167_219_140_000),
    ])
    func `it is read as RFC 3339 says`(text: String, milliseconds: Int64) {
        expect(Instant(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T12:34:56", "2026-11-20T12:34Z", "2026-11-20T12:34:56.Z",
        "2026-11-20T12:34:56,5Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-32T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00+0900", "2026-01-01T00:00:00+09", "2026-01-01T00:00:00Zz",
        " 2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", "2026-1-01T00:00:00Z", "20260101T000000Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "+2026-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
        "２０２６-01-01T00:00:00Z", "2026-01-01T00:00:00.5", "2026-01-01T00:00:00\u{0}Z",
    ])
    func `what is no date is refused`(text: String) { expect(Instant(text) == nil) }

    @Test(arguments: [
        ("9999-12-31T23:59:59-23:59", Instant.Reading.outOfRange), ("0000-01-01T00:00:00+00:01", .outOfRange),
        ("2026-02-30T00:00:00Z", .malformed), ("2020-06-15T12:00:60Z", .malformed),
        ("2016-12-30T23:59:60Z", .malformed),
        ("2016-12-31T23:58:60Z", .malformed), ("2016-12-31T23:59:60+01:00", .malformed),
        ("2016-06-30T23:59:60Z", .instant(Instant(milliseconds: 1_467_331_199_999))),
        ("2017-01-01T00:59:60+01:00", .instant(Instant(milliseconds: 1_483_228_799_999))),
        ("2016-02-29T18:59:60-05:00", .instant(Instant(milliseconds: 1_456_790_399_999))),
        ("9999-12-31T23:59:60Z", .instant(Instant(milliseconds: 253_402_300_799_999))),
    ])
    func `what is outside the calendar is told from what is no date, and a leap second ends a month`(
        text: String, expected: Instant.Reading
    ) { expect(Instant.read(Array(text.utf8)) == expected) }

    @Test func `a clock out of range is held at the ends`() {
        expect(Instant(milliseconds: .min).text == "0000-01-01T00:00:00.000Z")
        expect(Instant(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    }
}
