import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// One commit in the journal, laid out over sectors.
struct JournalEntryTests {
    /// An entry at sector 8 in a file of sectors that were never used, and its sectors.
    private static func made(_ count: UInt64, size: Int = 30, sequence: UInt64 = 4) throws -> ([UInt8], EntryWriter) {
        var memory = JournalMemory(after: Position(6))
        for position in 7..<7 + count {
            let event = EventMaker().event(position, data: "\"\(String(repeating: "x", count: size))\"")
            EventMaker.json(event).withBytes { json in
                let record = RecordWriter(event.header(jsonCount: json.count), json)
                let block = memory.block(for: position, record.count)
                record.write(json, Salts(), to: block.target)
                block.added(record.count)
            }
        }
        let entry = EntryWriter(
            sequence: sequence, number: 8, first: 7, count: Int(count),
            sections: memory.sections(from: 1, through: 6 + count))
        var bytes = [UInt8](repeating: 0xEE, count: (8 + entry.sectors) * JournalSector.size + 512)
        bytes.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { entry.write(to: base + 8 * JournalSector.size) }
        }
        return (bytes, entry)
    }

    private static func read(_ bytes: [UInt8], end: Int = .max) -> JournalEntry? {
        bytes.withBytes { JournalEntry($0, at: 8, end: min(end, bytes.count / JournalSector.size)) }
    }

    @Test(arguments: [(1, 30), (1, 300), (2, 10), (40, 1), (3, 60_000), (400, 250)])
    func `an entry is read as it was written`(count: Int, size: Int) throws {
        let (bytes, entry) = try Self.made(UInt64(count), size: size)
        let read = try require(Self.read(bytes))
        expect(read.sequence == 4 && read.first == 7 && read.count == count && read.sectors == entry.sectors)
        expect(read.records == entry.sections.flatMap { Array($0.run.bytes) })
        expect(bytes[..<4_096].allSatisfy { $0 == 0xEE } && bytes.suffix(512).allSatisfy { $0 == 0xEE })
    }

    @Test func `every bit counts, and every sector has to be there`() throws {
        let (bytes, entry) = try Self.made(3, size: 200)
        expect(entry.sectors > 1)
        for offset in 4_096..<4_096 + entry.sectors * JournalSector.size {
            var changed = bytes
            changed[offset] ^= 1 << UInt8(offset % 8)
            expect(Self.read(changed) == nil, "byte \(offset)")
        }
        expect(Self.read(bytes, end: 8 + entry.sectors - 1) == nil)
        expect(Self.read(bytes, end: 8 + entry.sectors) != nil)
    }

    @Test func `sectors of two attempts at one entry are no entry`() throws {
        let (one, entry) = try Self.made(3, size: 200)
        let (other, _) = try Self.made(3, size: 200)
        // They differ by their salts alone: the last sectors, with nothing but text, may be the same.
        for cut in 1..<entry.sectors {
            let start = (8 + cut) * JournalSector.size
            guard one[start...] != other[start...] else { continue }
            expect(Self.read(Array(one[..<start] + other[start...])) == nil)
        }
    }

    @Test func `a sector that lies elsewhere than it was written is damage`() throws {
        let (bytes, _) = try Self.made(1)
        bytes.withUnsafeBytes { expect(JournalSector($0, number: 8) != nil) }
        let moved = bytes + bytes[4_096..<4_608]
        moved.withUnsafeBytes { expect(JournalSector($0, number: moved.count / 512 - 1) == nil) }
    }

    @Test func `the header of a journal is whole or none`() {
        let header = JournalHeader(logID: Array(1...16), fileSize: 1 << 16)
        let bytes = header.bytes
        expect(bytes.count == JournalHeader.size && JournalHeader(bytes) == header)
        for index in 0..<bytes.count * 8 {
            var changed = bytes
            changed[index / 8] ^= 1 << UInt8(index % 8)
            expect(JournalHeader(changed) == nil)
        }
        expect(JournalHeader(Array(bytes.dropLast())) == nil)
        expect(JournalHeader(JournalHeader(logID: Array(1...16), fileSize: 100).bytes) == nil)
    }
}
