import Glibc
import StoryCore
import StoryStorage

/// A scanner for intact records in any bytes: each has its position in its text, and a checksum that is seeded with it.
///
/// So neither the pages of LMDB nor the headers and tables of blocks have to be intact.
enum RecordScanner {
    private static let beginning = Array(#"{"position":"#.utf8)

    /// Visits each intact record: its position, and its offset.
    static func run(_ bytes: UnsafeRawBufferPointer, _ visit: (_ position: UInt64, _ start: Int) -> Void) {
        var from = 0
        while let json = next(bytes, from) {
            from = json + beginning.count
            guard let position = number(bytes, at: from) else { continue }
            // One salt, of the content, or two, of the labels and of the content, precede the JSON.
            for salts in 1...2 {
                let start = json - EventHeader.size - salts * RecordLayout.saltSize
                if start >= 0, read(bytes, at: start, position) != nil {
                    visit(position, start)
                    break
                }
            }
        }
    }

    /// Returns the record at an offset; nil if there is no intact record of this position.
    static func read(_ bytes: UnsafeRawBufferPointer, at start: Int, _ position: UInt64) -> EventRecord? {
        try? Record.read(Record.record(in: bytes, from: start, at: position), at: position)
    }

    private static func next(_ bytes: UnsafeRawBufferPointer, _ from: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var from = from
        while bytes.count - from >= beginning.count {
            guard let brace = memchr(base + from, 0x7B, bytes.count - from - beginning.count + 1) else { return nil }
            let found = UnsafeRawPointer(brace) - base
            if beginning.equals(bytes.slice(found, count: beginning.count)) { return found }
            from = found + 1
        }
        return nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt64? {
        var value: UInt64 = 0
        var index = start
        while index < bytes.count, index < start + 16, (0x30...0x39).contains(bytes[index]) {
            value = value * 10 + UInt64(bytes[index] - 0x30)
            index += 1
        }
        return value > 0 ? value : nil
    }
}

/// The payloads of the intact sectors of a journal, entry by entry, with zeros for the other sectors.
enum JournalRemains {
    /// One commit, with the numbers of its intact sectors.
    private struct FoundEntry {
        let sequence: UInt64
        /// The number of its first sector in the file.
        let start: Int
        let count: Int
        var good: Set<Int> = []
    }

    /// Returns the payloads of all entries, the newest first, since the newest record of a position counts; empty if
    /// there is no journal.
    static func read(_ path: String) throws(StorageError) -> [UInt8] {
        guard Folder.exists(path) else { return [] }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        let size = try file.size(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4_096)
        defer { buffer.deallocate() }
        let count = file.readGood(into: buffer, at: 0, of: path)
        return payloads(UnsafeRawBufferPointer(rebasing: buffer[..<(count / JournalSector.size * JournalSector.size)]))
    }

    private static func payloads(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let end = max(bytes.count / JournalSector.size, JournalHeader.firstSector)
        var entries: [UInt64: FoundEntry] = [:]
        var damaged: Set<Int> = []
        for number in JournalHeader.firstSector..<end {
            guard let sector = JournalSector(bytes, number: number) else {
                damaged.insert(number)
                continue
            }
            guard sector.sequence > 0, sector.index < sector.count else { continue }
            let found = FoundEntry(sequence: sector.sequence, start: number - sector.index, count: sector.count)
            entries[sector.sequence, default: found].good.insert(number)
        }
        let newest = entries.keys.max()
        var payloads: [UInt8] = []
        for entry in entries.values.sorted(by: { $0.sequence > $1.sequence }) {
            // An entry that was cut off, and not damaged, was never acknowledged.
            let isCutOff =
                entry.sequence == newest && entry.good.count < entry.count
                && !(entry.start..<entry.start + entry.count).contains(where: damaged.contains)
            guard !isCutOff else { continue }
            for number in entry.start..<entry.start + entry.count {
                if entry.good.contains(number) {
                    payloads += bytes.slice(JournalSector.payloadStart(number), count: JournalSector.payload)
                } else {
                    payloads += [UInt8](repeating: 0, count: JournalSector.payload)
                }
            }
        }
        return payloads
    }
}
