import StoryStorage
import CXXHash
import Glibc
import StoryCore

/// One commit as the journal stores it: its records in the payloads of consecutive sectors.
///
/// The first payload begins with `first position 8 · record count 4 · bytes of all records 4 · XXH3-64 of the checksums
/// of the other sectors, seeded with the first position 8`; zeros fill the last one.
package struct JournalEntry {
    static let headSize = 24

    let sequence: UInt64
    let first: UInt64
    let count: Int
    let sectors: Int
    let records: [UInt8]

    var last: UInt64 { first + UInt64(count) - 1 }

    /// Returns the number of sectors of an entry with the given number of bytes of records.
    static func sectors(of byteCount: Int) -> Int {
        (headSize + byteCount + JournalSector.payload - 1) / JournalSector.payload
    }

    /// Reads the entry that begins at a sector of the file; nil if no complete entry does.
    init?(_ bytes: UnsafeRawBufferPointer, at number: Int, end: Int) {
        guard number < end, let head = JournalSector(bytes, number: number), head.index == 0, head.sequence > 0,
            head.sequence < .max, head.count > 0, head.count <= end - number
        else { return nil }
        (sequence, sectors) = (head.sequence, head.count)
        var checksums: [UInt64] = []
        for index in 1..<max(sectors, 1) {
            guard let sector = JournalSector(bytes, number: number + index), sector.index == index,
                sector.sequence == sequence, sector.count == sectors
            else { return nil }
            checksums.append(sector.checksum)
        }
        let start = JournalSector.payloadStart(number)
        first = bytes.number(at: start, as: UInt64.self)
        count = Int(bytes.number(at: start + 8, as: UInt32.self))
        let byteCount = Int(bytes.number(at: start + 12, as: UInt32.self))
        guard Position.isRun(first, count), JournalEntry.sectors(of: byteCount) == sectors,
            JournalEntry.checksum(checksums, first) == bytes.number(at: start + 16, as: UInt64.self)
        else { return nil }
        records = JournalEntry.gather(bytes, number, sectors, byteCount)
    }

    private static func gather(
        _ bytes: UnsafeRawBufferPointer, _ number: Int, _ sectors: Int, _ byteCount: Int
    ) -> [UInt8] {
        var records: [UInt8] = []
        records.reserveCapacity(sectors * JournalSector.payload)
        for index in 0..<sectors {
            let start = JournalSector.payloadStart(number + index) + (index == 0 ? headSize : 0)
            records += bytes[start..<(number + index + 1) * JournalSector.size]
        }
        records.removeLast(records.count - byteCount)
        return records
    }

    /// Returns the XXH3-64 of the checksums of sectors, seeded with the first position.
    package static func checksum(_ checksums: [UInt64], _ first: UInt64) -> UInt64 {
        checksums.withUnsafeBytes { xxhi_64($0.baseAddress, $0.count, first) }
    }
}

/// An encoder of one entry, into the memory that is written to the file.
package struct EntryWriter {
    let sequence: UInt64
    /// The number of the entry's first sector in the file.
    let number: Int
    let first: UInt64
    let count: Int
    let sections: [BlockSection]

    /// Prepares an entry.
    ///
    /// - Parameter number: the number of the entry's first sector in the file.
    package init(sequence: UInt64, number: Int, first: UInt64, count: Int, sections: [BlockSection]) {
        self.sequence = sequence
        self.number = number
        self.first = first
        self.count = count
        self.sections = sections
    }

    private var byteCount: Int { sections.reduce(0) { $0 + $1.run.bytes.count } }
    /// The number of sectors of the entry.
    package var sectors: Int { JournalEntry.sectors(of: byteCount) }

    /// Writes all sectors of the entry to `target`.
    package func write(to target: UnsafeMutableRawPointer) {
        let sectors = sectors
        fill(target, sectors)
        var checksums: [UInt64] = []
        checksums.reserveCapacity(sectors)
        for index in 1..<max(sectors, 1) { checksums.append(seal(target, index, sectors)) }
        let head = target + JournalSector.headerSize
        head.put(first, at: 0)
        head.put(UInt32(count), at: 8)
        head.put(UInt32(byteCount), at: 12)
        head.put(JournalEntry.checksum(checksums, first), at: 16)
        _ = seal(target, 0, sectors)
    }

    private func seal(_ target: UnsafeMutableRawPointer, _ index: Int, _ sectors: Int) -> UInt64 {
        JournalSector.seal(
            target + index * JournalSector.size, number: number + index, sequence: sequence, index: index,
            count: sectors)
    }

    /// Copies the records into the payloads, and fills the rest with zeros.
    private func fill(_ target: UnsafeMutableRawPointer, _ sectors: Int) {
        var end = JournalSector.headerSize + JournalEntry.headSize
        for section in sections {
            var rest = section.run.bytes
            while let source = rest.baseAddress, !rest.isEmpty {
                if end % JournalSector.size == 0 { end += JournalSector.headerSize }
                let part = min(rest.count, JournalSector.size - end % JournalSector.size)
                memcpy(target + end, source, part)
                rest = UnsafeRawBufferPointer(rebasing: rest[part...])
                end += part
            }
        }
        memset(target + end, 0, sectors * JournalSector.size - end)
    }
}
