import StoryCore
import StoryModels
import Testing
import TestSupport

struct KeyWriterTests {
    /// Every pair of values stands in the order of its keys, and equal values have one key.
    private func expectOrder<Value>(
        _ values: [Value], _ write: (inout KeyWriter, Value) -> Void, precedes: (Value, Value) -> Bool
    ) {
        let keys = values.map { value in
            var key = KeyWriter()
            write(&key, value)
            return key.bytes
        }
        for left in values.indices {
            for right in values.indices {
                let isBefore = precedes(values[left], values[right])
                if Bytes.precedes(keys[left], keys[right]) != isBefore {
                    Issue.record("\(values[left]) and \(values[right]): \(keys[left]) \(keys[right])")
                }
            }
        }
    }

    @Test func `texts stand in the order of their bytes, zero bytes and all`() {
        var random = SplitMix64(seed: 4)
        let alphabet: [UInt8] = [0, 0, 1, 0x61, 0x62, 0xFE, 0xFF]
        var texts = (0..<250).map { _ in
            (0..<Int.random(in: 0...5, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        }
        texts += [[], [0], [0, 0], [0, 0, 0], [0, 0xFF], [0xFF, 0xFF, 0xFF]]
        expectOrder(texts, { $0.text(Text($1)) }, precedes: Bytes.precedes)
    }

    @Test func `a text's key ends where no other text's key goes on`() {
        // The number behind a text must not take part in the order of texts.
        let texts: [[UInt8]] = [
            [], [0], [0x61], [0x61, 0], [0x61, 0, 0], [0x61, 0, 1], [0x61, 0, 0xFF], [0x61, 0x62],
        ]
        for (index, left) in texts.enumerated() {
            for right in texts[(index + 1)...] {
                var low = KeyWriter()
                low.text(Text(left))
                low.number(StreamNumber((1 << 48) - 1))
                var high = KeyWriter()
                high.text(Text(right))
                high.number(StreamNumber(0))
                #expect(Bytes.precedes(low.bytes, high.bytes), "\(left) \(right)")
            }
        }
    }

    @Test func `texts are sorted by their first 200 bytes`() {
        func key(_ text: String) -> [UInt8] {
            var key = KeyWriter()
            key.text(Text(text))
            return key.bytes
        }
        let start = String(repeating: "a", count: 200)
        #expect(key(start + "b") == key(start + "a"))
        #expect(key(start) == key(start + "a"))
        #expect(key(String(repeating: "a", count: 199)) != key(start))
        #expect(key(String(repeating: "\u{0}", count: 1_000)).count == 402)
    }

    @Test func `names stand in the order of their bytes`() {
        var random = SplitMix64(seed: 5)
        let alphabet = "-.09AZ_az~".bytes
        let names = (0..<300).map { _ in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        }
        expectOrder(names, { $0.name($1) }, precedes: Bytes.precedes)
    }

    @Test func `dates stand in their order, those before 1970 too`() {
        var random = SplitMix64(seed: 6)
        var dates = (0..<200).map { _ in Instant(milliseconds: Int64.random(in: Instant.range, using: &random)) }
        dates += [-1, 0, 1, -256, 255, 256, .min, .max].map { Instant(milliseconds: $0) }
        expectOrder(dates, { $0.date($1) }, precedes: <)
    }

    @Test func `numbers stand in their order, negative ones and both zeros too`() {
        var random = SplitMix64(seed: 7)
        var numbers = (0..<100).map { _ in Double.random(in: -1e3...1e3, using: &random) }
        numbers += [0, -0.0, 1, -1, 20, -20, 0.1, -0.1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude]
        numbers += [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e-300, -1e-300]
        expectOrder(numbers, { $0.double($1) }, precedes: <)
    }

    @Test func `an absent number stands after every one that is there`() {
        let numbers: [Double?] = [nil, -.greatestFiniteMagnitude, -1, -0.0, 0, 1.4, .greatestFiniteMagnitude, nil]
        expectOrder(numbers, { $0.double($1) }) { left, right in
            guard let left else { return false }
            return right.map { left < $0 } ?? true
        }
    }

    @Test func `stream numbers and positions stand in their order and are read back`() {
        var random = SplitMix64(seed: 8)
        var values: [UInt64] = [0, 1, 255, 256, 65_535, (1 << 48) - 1]
        values += (0..<100).map { _ in UInt64.random(in: 0..<(1 << 48), using: &random) }
        expectOrder(values, { $0.number($1) }, precedes: <)
        for value in values {
            let key = KeyWriter.number(StreamNumber(value))
            #expect(KeyReader.number(key, at: 0) == value)
            #expect(KeyReader.lastNumber([1, 2, 3] + key) == StreamNumber(value))
        }
    }

    @Test func `reading past the bytes is nil`() {
        #expect(KeyReader.number([1, 2, 3, 4, 5], at: 0) == nil)
        #expect(KeyReader.number([1, 2, 3, 4, 5, 6], at: 1) == nil)
        #expect(KeyReader.number([1, 2, 3, 4, 5, 6], at: -1) == nil)
        #expect(KeyReader.lastNumber([1, 2]) == nil)
    }

    @Test func `the end of a prefix is the first key behind all that begin with it`() {
        #expect(KeyRange.end(of: [1, 2]) == [1, 3])
        #expect(KeyRange.end(of: [1, 0xFF, 0xFF]) == [2])
        #expect(KeyRange.end(of: [0xFF, 0xFF]) == nil)
        #expect(KeyRange.end(of: []) == nil)
        #expect(KeyRange(prefix: [0xFF]) == KeyRange(lower: [0xFF], upper: nil))
    }
}
