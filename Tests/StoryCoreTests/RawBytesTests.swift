import StoryCore
import TestSupport
import Testing

struct RawBytesTests {
    @Test func `bytes of every length are told apart from those that differ in one bit, wherever it is`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 0x61) }
            expect(areEqual(bytes, bytes.map(\.self)))
            expect(!areEqual(bytes, bytes + [0]))
            for place in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[place] ^= 1 << bit
                    expect(!areEqual(bytes, other))
                }
            }
        }
    }

    @Test func `bytes are in the order of their first difference, a prefix first`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 0x61) }
            expect(!bytes.precedes(bytes))
            expect(bytes.precedes(bytes + [0]) && !(bytes + [0]).precedes(bytes))
            for place in bytes.indices {
                for other in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[place] = other
                    // Of another length, and with a later byte that says the opposite.
                    for end in [[], [0xFF], [0, 1, 2, 3, 4, 5, 6, 7, 8]] as [[UInt8]] {
                        let isBefore = bytes.lexicographicallyPrecedes(changed + end)
                        expect(bytes.precedes(changed + end) == isBefore)
                        expect((changed + end).precedes(bytes) == (changed + end).lexicographicallyPrecedes(bytes))
                    }
                }
            }
        }
    }

    @Test func `a zero byte is found wherever it is, and no other byte is taken for one`() {
        for count in 0...40 {
            for other in [1, 0x7F, 0x80, 0x81, 0xFF] as [UInt8] {
                let bytes = [UInt8](repeating: other, count: count)
                expect(!hasZero(bytes))
                for place in bytes.indices {
                    var changed = bytes
                    changed[place] = 0
                    expect(hasZero(changed))
                }
            }
        }
    }

    private func hasZero(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { $0.hasZero } }

    private func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { one.equals($0) } }
    }
}
