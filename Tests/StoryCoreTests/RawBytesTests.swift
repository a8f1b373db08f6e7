import StoryCore
import Testing

struct RawBytesTests {
    @Test func `bytes of every length are told apart from those that differ in one bit, wherever it is`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 0x61) }
            #expect(areEqual(bytes, bytes.map(\.self)))
            #expect(!areEqual(bytes, bytes + [0]))
            for place in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[place] ^= 1 << bit
                    #expect(!areEqual(bytes, other))
                }
            }
        }
    }

    private func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { one.equals($0) } }
    }
}
