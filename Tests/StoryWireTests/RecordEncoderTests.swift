import StoryCore
import StoryModels
import TestSupport
import Testing

@testable import StoryWire

/// A stored row's bytes become the same text as the row that they stand for.
struct RecordEncoderTests {
    private static let texts = [
        "", "x", "\u{0}", "\n\r\n", "\"\\", "a\u{0}b", "12345678\"", "1234567\\8", "é", "e\u{301}", "👨‍👩‍👧‍👦", "\u{7F}\u{80}",
        String(repeating: "x", count: 300), String(repeating: "\u{1}", count: 500),
        String(repeating: "話", count: 9_000),
    ]
    private static let names = ["a", "~", "-._~", String(repeating: "Z", count: 64)]

    private var random = SplitMix64(seed: 11)

    private mutating func text() -> Text { Text(Self.texts.randomElement(using: &random) ?? "") }
    private mutating func name() -> Identifier { id(Self.names.randomElement(using: &random) ?? "a") }
    private mutating func count() -> UInt64 { random.pick(0, 9, 10, 99_999, 1 << 53, .max) }
    private mutating func version() -> Version { Version(count()) }
    private mutating func position() -> Position { Position(count()) }
    private mutating func date() -> Instant {
        Instant(milliseconds: random.pick(0, -1, 1_800_000_000_001, Instant.range.upperBound, Instant.range.lowerBound))
    }
    private mutating func double() -> Double { random.pick(0, -0.0, 0.1, -20, 1e300, 1.7976931348623157e308) }

    private mutating func row(_ kind: Kind) throws -> Row {
        let number = StreamNumber(3)
        switch kind {
        case .users:
            return .user(
                UserRow(
                    id: name(), number: number, version: version(), position: position(), name: text(), email: text(),
                    prefecture: random.pick(1, 13, 47), date: date()))
        case .stories:
            return .story(
                StoryRow(
                    id: name(), number: number, version: version(), position: position(), title: text(),
                    message: text(), sender: name(), recipient: name(), date: date(), likes: count()))
        case .messages:
            return .message(
                MessageRow(
                    id: name(), number: number, version: version(), position: position(), text: text(),
                    sender: name(), recipient: name(), story: random.oneIn(2) ? name() : nil, date: date(),
                    seen: random.oneIn(2)))
        case .photos:
            let duration = try #require(ExposureDuration(numerator: random.pick(1, .max), denominator: .max))
            return .photo(
                PhotoRow(
                    id: name(), number: number, version: version(), position: position(), owner: name(), iso: double(),
                    focalLength: random.oneIn(2) ? double() : nil, exposureValue: double(),
                    lensAperture: random.oneIn(2) ? double() : nil, exposureDuration: duration,
                    flash: random.pick(nil, Flash.none, .normal, .redEye), date: date()))
        }
    }

    @Test(arguments: Kind.allCases)
    mutating func `a record is written as its row is`(kind: Kind) throws {
        for _ in 0..<300 {
            let row = try row(kind)
            let record = RowRecord(row)
            #expect(record.row == row)
            var (wanted, written, plain) = ([UInt8](), [UInt8](), [UInt8]())
            ReplyEncoder.append(.done(.row(row)), tag: nil, to: &wanted)
            ReplyEncoder.append(.done(.record(record)), tag: nil, to: &written)
            let isWritten = record.bytes.withUnsafeBytes { ReplyEncoder.appendRow(kind, $0, to: &plain) }
            #expect(isWritten && written == wanted && plain == wanted)
        }
    }

    @Test(arguments: Kind.allCases)
    mutating func `a record that is cut off is an internal failure, of which nothing else is written`(
        kind: Kind
    ) throws {
        let record = RowRecord(try row(kind))
        for count in [0, 1, record.bytes.count / 2, record.bytes.count - 1] {
            let cut = Array(record.bytes.prefix(count))
            var bytes = Array("before".utf8)
            #expect(!cut.withUnsafeBytes { ReplyEncoder.appendRow(kind, $0, to: &bytes) })
            #expect(bytes == Array("before".utf8))
            let damaged = RowRecord(kind: kind, number: StreamNumber(3), bytes: cut)
            ReplyEncoder.append(.done(.record(damaged)), tag: nil, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(#"before- {"code":"internal""#))
        }
    }
}
