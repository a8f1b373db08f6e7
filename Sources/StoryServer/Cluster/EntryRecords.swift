import CXXHash
import StoryCluster
import StoryCore
import StoryLog

/// The records of a log as the entries of a cluster have them.
struct EntryRecords {
    let log: any EventLog

    /// Returns an entry of all events after a position, in a format of records.
    ///
    /// - Throws: `.corrupt` if a record is damaged.
    func entry(after position: Position, format: UInt8) throws(StorageError) -> (EntryHead, [UInt8]) {
        let records = try bytes(from: position.next, through: log.head)
        let head = EntryHead(
            first: position.next, count: Int(log.head.value - position.value),
            previous: try proof(at: position, format: format),
            bytes: records.count, digest: EntryRecords.digest(of: records), format: format)
        return (head, records)
    }

    /// Returns the reason why an entry cannot follow the head of the log; nil where it can.
    ///
    /// - Throws: `.corrupt` if the record at the head is damaged.
    func fault(of entry: Entry) throws(StorageError) -> String? {
        let head = entry.head
        guard head.first == log.head.next else {
            return "an entry from \(head.first.value) came after \(log.head.value)"
        }
        guard entry.records.count == head.bytes, EntryRecords.digest(of: entry.records) == head.digest else {
            return "the entry from \(head.first.value) does not match its digest"
        }
        guard EntryRecords.hasRecords(entry, after: log.head) else {
            return "the entry from \(head.first.value) has another number of events than it says"
        }
        guard try proof(at: log.head, format: head.format) == head.previous else {
            return "the entry from \(head.first.value) follows another event than the one that is here"
        }
        return nil
    }

    /// Returns true where the records of an entry are as many as it says.
    private static func hasRecords(_ entry: Entry, after head: Position) -> Bool {
        entry.records.withUnsafeBytes { bytes in
            guard let start = try? Record.end(in: bytes, after: head, through: entry.head.last.previous),
                let end = try? Record.end(in: bytes, after: head, through: entry.head.last)
            else { return false }
            return start < bytes.count && end == bytes.count
        }
    }

    /// Returns the reason why an entry differs from the events that the log has at its positions; nil where it does not,
    /// or where nothing but their erasure makes the difference.
    ///
    /// - Throws: `.corrupt` if a record is damaged.
    func difference(from entry: Entry) throws(StorageError) -> String? {
        let (first, last) = (entry.head.first, entry.head.last)
        let own = try bytes(from: first, through: last)
        guard own != entry.records else { return nil }
        let proofs = try? EntryRecords.proofs(of: entry.records, from: first)
        guard try proofs == EntryRecords.proofs(of: own, from: first) else {
            return "the events from \(first.value) through \(last.value) differ"
        }
        return nil
    }

    /// Returns the proof of each of some records.
    private static func proofs(of records: [UInt8], from first: Position) throws(StorageError) -> [UInt64] {
        try records.withBytes { (bytes) throws(StorageError) in
            var (proofs, end, position) = ([UInt64](), 0, first)
            while end < bytes.count {
                let start = end
                end += try Record.end(
                    in: bytes.slice(start, count: bytes.count - start), after: position.previous, through: position)
                proofs.append(try SealChain.proof(of: bytes.slice(start, count: end - start), at: position))
                position = position.next
            }
            return proofs
        }
    }

    private func bytes(from first: Position, through last: Position) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try log.scanRecords(from: first, through: last) { _, record in
            bytes += record
            return true
        }
        return bytes
    }

    /// Returns the checksum of the record at a position; 0 before the first.
    ///
    /// - Throws: `.corrupt` if the record is damaged.
    func checksum(at position: Position) throws(StorageError) -> UInt64 {
        try value(at: position) { (record) throws(StorageError) in Record.storedChecksum(record) }
    }

    /// Returns the number by which an entry of a format names the record at a position before it; 0 before the first.
    private func proof(at position: Position, format: UInt8) throws(StorageError) -> UInt64 {
        guard format >= RecordFormats.erasable else { return try checksum(at: position) }
        return try value(at: position) { (record) throws(StorageError) in
            try SealChain.proof(of: record, at: position)
        }
    }

    private func value(
        at position: Position, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> UInt64
    ) throws(StorageError) -> UInt64 {
        guard position > .zero else { return 0 }
        var value = Result<UInt64, StorageError>.success(0)
        try log.scanRecords(from: position, through: position) { _, record in
            value = Result { () throws(StorageError) in try body(record) }
            return true
        }
        return try value.get()
    }

    private static func digest(of records: [UInt8]) -> EntryHead.Digest {
        let hash = records.withUnsafeBytes { xxhi_128($0.baseAddress, $0.count, 0) }
        return EntryHead.Digest(low: hash.low, high: hash.high)
    }
}
