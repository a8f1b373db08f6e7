import CXXHash
import StoryLog
import TestSupport
import Testing

struct ChecksumTests {
    @Test func `a checksum is the XXH3-64 of the bytes, however many there are and whichever code hashes them`() {
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        bytes.withUnsafeBytes { all in
            for count in Array(0...600) + [1_023, 1_024, 1_025, 4_096, 65_536, 70_000] {
                let part = UnsafeRawBufferPointer(rebasing: all[..<count])
                for position in [0, 1, 1 << 52] as [UInt64] {
                    expect(
                        Checksum.of(part, position: position)
                            == XXH3_64bits_withSeed(part.baseAddress, count, position))
                }
                expect(xxhi_64(part.baseAddress, count, 0) == XXH3_64bits(part.baseAddress, count))
            }
        }
    }
}
