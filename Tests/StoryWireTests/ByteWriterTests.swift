import StoryCore
import TestSupport
import Testing

@testable import StoryWire

struct ByteWriterTests {
    private func written(_ body: (inout ByteWriter) -> Void) -> String {
        String(decoding: ByteWriter.bytes(body), as: UTF8.self)
    }

    @Test(arguments: [0, 1, 63, 64, 100])
    func `a buffer grows with what is written and keeps what was there`(capacity: Int) {
        var writer = ByteWriter(capacity: capacity)
        var expected: [UInt8] = []
        for number in 0..<1_000 {
            let text = Array(repeating: UInt8(truncatingIfNeeded: number), count: number % 41)
            text.withUnsafeBytes { writer.raw($0) }
            writer.byte(0x0A)
            expected += text + [0x0A]
            if number % 97 == 96 {
                writer.removeFirst(number)
                expected.removeFirst(number)
            }
            if number % 101 == 100 {
                writer.truncate(to: expected.count - 9)
                expected.removeLast(9)
            }
            let (found, fits) = ([UInt8](writer.written), writer.capacity >= writer.count)
            expect(found == expected && fits)
        }
        let kept = writer.capacity
        writer.removeAll()
        let isKept = writer.isEmpty && writer.capacity == kept
        expect(isKept)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 999, 1_000, 12_345, 9_999_999_999, 10_000_000_000_000_000_000, UInt64.max])
    func `integers are their digits`(number: UInt64) {
        expect(written { $0.integer(number) } == "\(number)")
    }

    @Test func `each power of ten has one digit more than what comes before it`() {
        for exponent in 1...19 {
            let power = (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 }
            expect(power.decimalDigitCount == exponent + 1)
            expect((power - 1).decimalDigitCount == exponent)
        }
    }

    @Test(arguments: [0, -1, Int64.min, Int64.max, -10])
    func `negative integers have their sign`(number: Int64) {
        expect(written { $0.integer(number) } == String(number))
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (100, "100"), (-3, "-3"), (0.1, "0.1"), (1.5, "1.5"), (1e300, "1e+300"),
        (Double.leastNonzeroMagnitude, "5e-324"),
        (9_007_199_254_740_991, "9007199254740991"), (1e16, "1e+16"),
    ])
    func `numbers are as short as they can be read back`(number: Double, text: String) {
        expect(written { $0.number(number) } == text)
        expect(Double(text) == number)
    }

    @Test func `strings escape what JSON says, and nothing else`() {
        let text = written { $0.string("a\"b\\c\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}é\u{2028}👨‍👩‍👧") }
        expect(
            text
                == #""a\"b\\c\n\r\t\b\f\u0000\u001f"# + "\u{7F}é\u{2028}👨‍👩‍👧\"")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every string is read back as it was`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let scanner = JSONScanner(capacity: 65_536)
        for _ in 0..<200 {
            let text = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                        Unicode.Scalar(
                            UInt32.random(in: 0...0x2FFF, using: &random) >> UInt32.random(in: 0...8, using: &random))
                    }))
            let bytes = ByteWriter.bytes { $0.string(text) }
            let read = withExtendedLifetime(scanner) {
                let document = scanner.scan(bytes)
                return document.isValid ? [UInt8](copying: document.root.stringBytes) : nil
            }
            expect(read == Array(text.utf8))
        }
    }
}
