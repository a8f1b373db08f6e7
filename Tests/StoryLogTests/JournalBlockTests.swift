import StoryCore
import StoryStorage
import Testing

@testable import StoryLog

struct JournalBlockTests {
    /// Some records in one block, which begins at an offset.
    private static func made(_ records: [[UInt8]], at offset: Int = 64, first: UInt64 = 7) -> (JournalBlock, [UInt8]) {
        var bytes = [UInt8](repeating: 0xEE, count: offset + JournalBlock.headerSize)
        for record in records {
            bytes.append(littleEndian: UInt32(record.count))
            bytes += record
        }
        let end = bytes.count
        bytes += [UInt8](repeating: 0xEE, count: 128)
        let block = JournalBlock(
            generation: 3, sequence: 4, first: first, length: JournalBlock.aligned(end) - offset, count: records.count)
        bytes.withUnsafeMutableBytes { block.write(to: $0, at: offset, end: end) }
        return (block, bytes)
    }

    private static func read(_ bytes: [UInt8], at offset: Int = 64) -> JournalBlock? {
        bytes.withBytes { JournalBlock($0, at: offset) }
    }

    @Test(arguments: [0, 1, 11, 12, 13, 200])
    func `a block is read as it was written, and ends at 64 bytes`(size: Int) {
        let records = [[UInt8](repeating: 1, count: size), [2, 3], [UInt8](repeating: 4, count: 40)]
        let (block, bytes) = Self.made(records)
        #expect(Self.read(bytes) == block)
        #expect(block.length % 64 == 0 && block.last == 9)
        let places = bytes.withBytes { block.records(in: $0, at: 64) }
        #expect(places?.map { Array(bytes[$0]) } == records)
        #expect(bytes[..<64].allSatisfy { $0 == 0xEE } && bytes[(64 + block.length)...].allSatisfy { $0 == 0xEE })
    }

    @Test func `every bit counts, and every byte has to be there`() {
        let (block, bytes) = Self.made([[1, 2, 3], Array("an event".utf8)])
        for offset in 64..<64 + block.length {
            for bit in 0..<8 {
                var changed = bytes
                changed[offset] ^= 1 << UInt8(bit)
                #expect(Self.read(changed) == nil, "bit \(bit) of byte \(offset - 64)")
            }
            #expect(Self.read(Array(bytes[..<offset])) == nil)
        }
        #expect(Self.read(Array(bytes[..<(64 + block.length)])) == block)
    }

    @Test func `lengths that do not fit the block are refused, whatever they say`() {
        let (block, bytes) = Self.made([[1, 2, 3], [4]])
        for length in [UInt32(4), 60, 1_000, .max] {
            var changed = bytes
            for (index, byte) in withUnsafeBytes(of: length.littleEndian, Array.init).enumerated() {
                changed[64 + JournalBlock.headerSize + index] = byte
            }
            let places = changed.withBytes { block.records(in: $0, at: 64) }
            #expect(places == nil || places?.last.map { $0.upperBound <= 64 + block.length } == true)
        }
        let more = JournalBlock(generation: 3, sequence: 4, first: 7, length: block.length, count: .max)
        #expect(bytes.withBytes { more.records(in: $0, at: 64) } == nil)
    }

    @Test func `no JSON holds the first bytes of a block`() {
        let (_, bytes) = Self.made([[1]])
        #expect(Array(bytes[64..<72]) == [0xFF] + Array("SKJBLK".utf8) + [0])
        #expect(String(validating: bytes[64..<72], as: UTF8.self) == nil)
    }

    @Test func `the header of a journal is whole or none`() {
        let header = JournalHeader(storeID: Array(1...16), fileSize: 1 << 16)
        let bytes = header.bytes
        #expect(bytes.count == JournalHeader.size && JournalHeader(bytes) == header)
        for index in 0..<bytes.count * 8 {
            var changed = bytes
            changed[index / 8] ^= 1 << UInt8(index % 8)
            #expect(JournalHeader(changed) == nil)
        }
        #expect(JournalHeader(Array(bytes.dropLast())) == nil)
        #expect(JournalHeader(JournalHeader(storeID: Array(1...16), fileSize: 100).bytes) == nil)
    }
}
