import StoryCore
import StoryModels
import Testing
import TestSupport

struct RowCodecTests {
    /// Text that has undone other stores: empty, zero bytes, line ends, quotes, long, many-byte.
    private static let texts = [
        "", "\u{0}", "\n\r\n", "\"\\", "a\u{0}b", "é", "e\u{301}", "👨‍👩‍👧‍👦", "\u{2028}\u{FEFF}",
        String(repeating: "x", count: 300), String(repeating: "話", count: 22_000),
    ]
    private static let names = ["a", "~", "-._~", String(repeating: "Z", count: 64)]

    private var random = SplitMix64(seed: 9)

    private mutating func text() -> Text { Text(Self.texts.randomElement(using: &random) ?? "") }
    private mutating func name() -> Identifier { (Self.names.randomElement(using: &random) ?? "a").id }
    private mutating func count() -> UInt64 {
        random.pick(0, 1, 1 << 47, UInt64.random(in: 0...(.max), using: &random))
    }
    private mutating func date() -> Instant { Instant(milliseconds: random.pick(.min, .max, -1, 0, 1_800_000_000_000)) }
    private mutating func number() -> StreamNumber { StreamNumber(random.pick(1, (1 << 48) - 1)) }
    private mutating func double() -> Double {
        random.pick(0, -0.0, 0.1, -20, .greatestFiniteMagnitude, .leastNonzeroMagnitude)
    }

    /// What is encoded is decoded; what is cut off anywhere, or near both ends of a long one, is no row.
    private func expectRoundTrip<P: Projection>(_ projection: P.Type, _ row: P.Row) {
        let bytes = P.encode(row)
        #expect(P.decode(bytes, number: P.number(of: row)) == row)
        #expect(P.encode(row) == bytes)
        let cuts =
            bytes.count < 400 ? Array(0..<bytes.count) : Array(0..<100) + Array((bytes.count - 100)..<bytes.count)
        for cut in cuts where P.decode(Array(bytes[..<cut]), number: P.number(of: row)) != nil {
            Issue.record("\(cut) of \(bytes.count) bytes are a \(P.self)")
        }
    }

    @Test mutating func `users come back as they were`() {
        for _ in 0..<40 {
            expectRoundTrip(
                UserProjection.self,
                UserRow(
                    id: name(), number: number(), version: Version(count()), position: Position(count()),
                    name: text(), email: text(), prefecture: random.pick(1, 13, 47), date: date()))
        }
    }

    @Test mutating func `stories come back as they were`() {
        for _ in 0..<40 {
            expectRoundTrip(
                StoryProjection.self,
                StoryRow(
                    id: name(), number: number(), version: Version(count()), position: Position(count()),
                    title: text(), message: text(), sender: name(), recipient: name(), date: date(), likes: count()))
        }
    }

    @Test mutating func `messages come back as they were`() {
        for _ in 0..<40 {
            expectRoundTrip(
                MessageProjection.self,
                MessageRow(
                    id: name(), number: number(), version: Version(count()), position: Position(count()),
                    text: text(), sender: name(), recipient: name(), story: random.oneIn(2) ? name() : nil,
                    date: date(), seen: random.oneIn(2)))
        }
    }

    @Test mutating func `photos come back as they were`() throws {
        for _ in 0..<200 {
            let denominator = UInt32.random(in: 1...(.max), using: &random)
            let duration = try #require(ExposureDuration(numerator: random.pick(1, .max), denominator: denominator))
            expectRoundTrip(
                PhotoProjection.self,
                PhotoRow(
                    id: name(), number: number(), version: Version(count()), position: Position(count()),
                    owner: name(), iso: double(), focalLength: random.oneIn(2) ? double() : nil,
                    exposureValue: double(), lensAperture: random.oneIn(2) ? double() : nil,
                    exposureDuration: duration, flash: random.pick(nil, Flash.none, .normal, .redEye), date: date()))
        }
    }

    @Test mutating func `bytes from anywhere never bring a decoder down`() {
        for _ in 0..<3_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                random.oneIn(3) ? UInt8.random(in: 0...255, using: &random) : UInt8.random(in: 0...3, using: &random)
            }
            _ = UserProjection.decode(bytes, number: StreamNumber(1))
            _ = StoryProjection.decode(bytes, number: StreamNumber(1))
            _ = MessageProjection.decode(bytes, number: StreamNumber(1))
            _ = PhotoProjection.decode(bytes, number: StreamNumber(1))
        }
    }
}
