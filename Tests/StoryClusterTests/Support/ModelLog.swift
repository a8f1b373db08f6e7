import StoryCluster
import StoryCore

/// A log of numbers, each with a checksum over everything before it: the slow and obvious log of a node.
struct ModelLog: Equatable {
    struct Record: Equatable {
        let value: UInt64
        let checksum: UInt64
    }

    static let history = [UInt8](repeating: 7, count: 16)

    private(set) var records: [Record] = []
    /// The ends of whole entries.
    private(set) var ends: Set<Int> = [0]
    /// How much survives a crash: the end of a whole entry.
    private(set) var synced = 0

    var head: Int { records.count }
    var checksum: UInt64 { records.last?.checksum ?? 0 }

    static func mix(_ value: UInt64, _ seed: UInt64) -> UInt64 {
        var mixed = (value ^ seed) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        return (mixed &* 0xBF58_476D_1CE4_E5B9) ^ (mixed >> 32)
    }

    /// Appends values and returns the entry that they make.
    mutating func append(_ values: [UInt64], format: UInt8) -> (head: EntryHead, records: [UInt8]) {
        let (first, previous) = (head + 1, checksum)
        var bytes: [UInt8] = []
        for value in values {
            let record = Record(value: value, checksum: ModelLog.mix(value, checksum))
            records.append(record)
            bytes.append(littleEndian: record.value)
            bytes.append(littleEndian: record.checksum)
        }
        let entry = EntryHead(
            first: Position(UInt64(first)), count: values.count, previous: previous, bytes: bytes.count,
            digest: ModelLog.digest(bytes), format: format)
        return (entry, bytes)
    }

    static func digest(_ bytes: [UInt8]) -> EntryHead.Digest {
        var digest = EntryHead.Digest(low: UInt64(bytes.count), high: 1)
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let number = bytes.number(at: offset, as: UInt64.self)
            digest = EntryHead.Digest(low: mix(number, digest.low), high: mix(number, digest.high))
        }
        return digest
    }

    /// The entry that ends here is in the log for good.
    mutating func committed() { ends.insert(head) }

    mutating func rollBack(to head: Int) { records.removeLast(records.count - head) }

    /// Takes an entry; returns why it cannot follow.
    mutating func take(_ entry: Entry) -> String? {
        let bytes = entry.records
        guard bytes.count == entry.head.bytes, entry.head.digest == ModelLog.digest(bytes) else { return "damaged" }
        let found = stride(from: 0, to: bytes.count, by: 16).map {
            Record(
                value: bytes.number(at: $0, as: UInt64.self), checksum: bytes.number(at: $0 + 8, as: UInt64.self))
        }
        let first = Int(entry.head.first.value)
        if Int(entry.head.last.value) <= head {
            return Array(records[(first - 1)..<(first - 1 + found.count)]) == found ? nil : "other records at \(first)"
        }
        guard first == head + 1 else { return "a gap before \(first)" }
        guard entry.head.previous == checksum else { return "another record before \(first)" }
        records += found
        committed()
        return nil
    }

    mutating func sync(to end: Int) { synced = max(synced, end) }

    /// Returns what is left after a crash that some of the unsynced entries survive.
    mutating func crash(keeping end: Int) {
        rollBack(to: end)
        ends = ends.filter { $0 <= end }
    }

    /// Takes what another node has synced, through a position; half of what is missing where the link breaks.
    mutating func seed(from other: ModelLog, through last: Int, isWhole: Bool) {
        let end = min(other.synced, last)
        guard end > head else { return }
        records = Array(other.records[..<(isWhole ? end : (head + end) / 2)])
        ends = other.ends.filter { $0 <= head }
    }
}
