import StoryStorage
package import StoryCore

/// The contents of a journal beyond the blocks of its log, found by reading the whole file.
///
/// An entry is begun only when the one before it is durable. So of the entries whose sectors are found, only the one
/// with the highest sequence may be torn; every other one was acknowledged. A sector is written completely or not at
/// all, so one whose checksum does not match is damaged, wherever it is.
package struct JournalContents {
    /// The contents of one half.
    struct Half {
        /// The number of its sectors, from its beginning on, that have complete entries.
        var end = 0
        /// The last position in them; 0 if there are none.
        var last: UInt64 = 0
    }

    /// The entries with records that the blocks lack, in order.
    private(set) var entries: [JournalEntry] = []
    private(set) var halves = [Half(), Half()]
    /// The half that the last entry is in.
    private(set) var active = 0
    /// The sequence of the last complete entry; 0 if there is none.
    private(set) var sequence: UInt64 = 0

    private var whole: [UInt64: JournalEntry] = [:]
    private var highest: UInt64 = 0

    /// Finds the entries and checks their records.
    ///
    /// - Parameters:
    ///   - stored: the last position that is in a block.
    ///   - lastTime: the time of the event at that position.
    /// - Throws: `.corrupt`, naming a position, if events are missing or damaged.
    package init(
        _ bytes: UnsafeRawBufferPointer, _ header: JournalHeader, after stored: Position, _ lastTime: Instant?
    ) throws(StorageError) {
        var damaged: Int?
        for number in header.sectors {
            if let sector = JournalSector(bytes, number: number) {
                highest = max(highest, sector.sequence)
            } else if damaged == nil {
                damaged = number
            }
        }
        for half in 0...1 { accept(half, bytes, header) }
        try gather(after: stored)
        let head = entries.last?.last ?? stored.value
        if let damaged {
            throw .corrupt("the journal is damaged in its sector \(damaged)", at: Position(head + 1))
        }
        try check(after: stored, lastTime)
    }

    /// Takes the complete entries of one half, which follow one another from its beginning on.
    private mutating func accept(_ half: Int, _ bytes: UnsafeRawBufferPointer, _ header: JournalHeader) {
        let start = JournalHeader.firstSector + half * header.halfSectors
        var before: UInt64?
        while let entry = JournalEntry(bytes, at: start + halves[half].end, end: start + header.halfSectors),
            before.map({ $0 == entry.sequence - 1 }) ?? true
        {
            halves[half].end += entry.sectors
            halves[half].last = entry.last
            whole[entry.sequence] = entry
            if entry.sequence > sequence { (sequence, active) = (entry.sequence, half) }
            before = entry.sequence
        }
    }

    /// Finds the entries from the last one back to the end of the blocks.
    private mutating func gather(after stored: Position) throws(StorageError) {
        guard sequence >= highest || sequence + 1 == highest else {
            throw .corrupt(
                "the journal is damaged: an entry was begun whose predecessor is not there", at: stored.next)
        }
        var next = sequence
        while next > 0, let entry = whole[next], entry.last > stored.value {
            entries.insert(entry, at: 0)
            next -= 1
        }
        guard let first = entries.first, first.first > stored.value + 1 else { return }
        entries = []
        throw .corrupt(
            "the log ends at position \(stored.value), and the journal goes on at position \(first.first)",
            at: stored.next)
    }

    private func check(after stored: Position, _ lastTime: Instant?) throws(StorageError) {
        var (position, time) = (stored.value, lastTime)
        try forEachRecord(after: stored) { (next, bytes) throws(StorageError) in
            guard next == position + 1 else {
                throw .corrupt("the journal goes on at position \(next)", at: Position(position + 1))
            }
            let record = try Record.read(bytes, at: next)
            if let time, record.time < time { throw Record.damaged(next, "is older than the one before") }
            (position, time) = (next, record.time)
        }
    }

    /// Visits the records after a position, in order.
    ///
    /// - Throws: the error of `body`; `.corrupt` if the length of a record does not fit.
    package func forEachRecord(
        after stored: Position, _ body: (UInt64, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        for entry in entries {
            try entry.records.withBytes { (bytes) throws(StorageError) in
                var start = 0
                for position in entry.first...entry.last {
                    let record = try Record.record(in: bytes, from: start, at: position)
                    if position > stored.value { try body(position, record) }
                    start += record.count
                }
            }
        }
    }
}
