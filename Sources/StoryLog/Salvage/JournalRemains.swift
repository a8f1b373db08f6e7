import Glibc
import StoryCore
import StoryStorage

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
