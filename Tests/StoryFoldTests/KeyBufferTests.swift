import StoryCore
import Testing
import TestSupport

@testable import StoryFold

/// Keys stand in the order of what they are made of.
struct KeyBufferTests {
    /// Every pair of values stands in the order of its keys, and equal values have one key.
    private func expectOrder<Value>(
        _ values: [Value], _ write: (inout KeyBuffer, Value) -> Void, precedes: (Value, Value) -> Bool
    ) {
        let keys = values.map { value in
            var key = KeyBuffer()
            write(&key, value)
            return Array(key.bytes)
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
        expectOrder(
            texts, { key, text in text.withBytes { key.addText($0, isFolded: false) } }, precedes: Bytes.precedes)
    }

    @Test func `a text's key ends where no other text's key goes on`() {
        // The number behind a text must not take part in the order of texts.
        let texts: [[UInt8]] = [
            [], [0], [0x61], [0x61, 0], [0x61, 0, 0], [0x61, 0, 1], [0x61, 0, 0xFF], [0x61, 0x62],
        ]
        for (index, left) in texts.enumerated() {
            for right in texts[(index + 1)...] {
                var low = KeyBuffer()
                left.withBytes { low.addText($0, isFolded: false) }
                low.add48((1 << 48) - 1)
                var high = KeyBuffer()
                right.withBytes { high.addText($0, isFolded: false) }
                high.add48(0)
                expect(Bytes.precedes(Array(low.bytes), Array(high.bytes)), "\(left) \(right)")
            }
        }
    }

    @Test func `texts are sorted by their first 200 bytes`() {
        func key(_ text: String) -> [UInt8] {
            var key = KeyBuffer()
            text.bytes.withBytes { key.addText($0, isFolded: false) }
            return Array(key.bytes)
        }
        let start = String(repeating: "a", count: 200)
        expect(key(start + "b") == key(start + "a"))
        expect(key(start) == key(start + "a"))
        expect(key(String(repeating: "a", count: 199)) != key(start))
        expect(key(String(repeating: "\u{0}", count: 1_000)).count == 402)
    }

    @Test func `names stand in the order of their bytes`() {
        var random = SplitMix64(seed: 5)
        let alphabet = "-.09AZ_az~".bytes
        let names = (0..<300).map { _ in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        }
        expectOrder(names, { key, name in name.withBytes { key.addName($0) } }, precedes: Bytes.precedes)
    }

    @Test func `dates stand in their order, those before 1970 too`() {
        var random = SplitMix64(seed: 6)
        var dates = (0..<200).map { _ in Instant(milliseconds: Int64.random(in: Instant.range, using: &random)) }
        dates += [-1, 0, 1, -256, 255, 256, .min, .max].map { Instant(milliseconds: $0) }
        expectOrder(dates, { $0.addDate($1) }, precedes: <)
    }

    @Test func `numbers stand in their order, negative ones and both zeros too`() {
        var random = SplitMix64(seed: 7)
        var numbers = (0..<100).map { _ in Double.random(in: -1e3...1e3, using: &random) }
        numbers += [0, -0.0, 1, -1, 20, -20, 0.1, -0.1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude]
        numbers += [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e-300, -1e-300]
        expectOrder(numbers, { $0.addDouble($1) }, precedes: <)
    }

    @Test func `whole numbers stand in their order, the largest and the least too`() {
        var random = SplitMix64(seed: 17)
        var numbers = (0..<100).map { _ in Int64.random(in: -70_000...70_000, using: &random) }
        numbers += [.min, .max, .min + 1, -1, 0, 1, 255, 256, -255, -256, -257, 1 << 40, -(1 << 40)]
        expectOrder(numbers, { $0.addInteger($1) }, precedes: <)
    }

    @Test func `stream numbers and positions stand in their order and are read back`() {
        var random = SplitMix64(seed: 8)
        var values: [UInt64] = [0, 1, 255, 256, 65_535, (1 << 48) - 1]
        values += (0..<100).map { _ in UInt64.random(in: 0..<(1 << 48), using: &random) }
        expectOrder(values, { $0.set($1) }, precedes: <)
        for value in values {
            var key = KeyBuffer()
            key.set(value)
            expect(key.bytes.sixByteNumber(at: 0) == value)
        }
    }

    @Test func `the end of a prefix is the first key behind all that begin with it`() {
        expect([1, 2].prefixEnd == [1, 3])
        expect([1, 0xFF, 0xFF].prefixEnd == [2])
        expect([0xFF, 0xFF].prefixEnd == nil)
        expect(([] as [UInt8]).prefixEnd == nil)
    }
}
