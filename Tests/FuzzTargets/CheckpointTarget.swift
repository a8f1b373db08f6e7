import CXXHash
import StoryCore
import StoryStore
import StoryStorage
import TestSupport

/// The journal of a checkpoint: any bytes are whole entries or nothing, the same that a plain reader finds.
///
/// `how 1 · the bytes`: with the lowest bit of `how` they stand between what begins and ends a journal.
final class CheckpointTarget: FuzzTarget {
    private static let headCount = 36

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let how = input.byte()
        var text = Array(input.rest)
        if how & 1 != 0 {
            text = "stkjrnl1".bytes + [UInt8](repeating: 1, count: CheckpointTarget.headCount - 8) + text
            text.append(littleEndian: XXH3_64bits(text, text.count))
        }
        let copy = ExactCopy(text)
        let found = CheckpointJournal.parse(copy.whole)
        guard how & 1 != 0 else { return }
        let plain = CheckpointTarget.entries(text[CheckpointTarget.headCount..<text.count - 8])
        hold((found == nil) == (plain == nil), "both agree on what is a journal")
        guard let (buffers, record) = found, let plain else { return }
        hold(record.position == Position(0x0101_0101_0101_0101), "a journal has its position")
        for table in UInt8.min...UInt8.max {
            var digest = ModelDigest()
            for (key, value) in plain[table] ?? [:] {
                guard let value else { continue }
                key.withUnsafeBytes { key in value.withUnsafeBytes { digest.add(table, key, $0) } }
            }
            hold(buffers.digest(of: table) == digest, "a journal has its entries")
        }
    }

    /// By table, the values of keys, nil where one was removed; nil where the bytes are no entries.
    private static func entries(_ bytes: ArraySlice<UInt8>) -> [UInt8: [[UInt8]: [UInt8]?]]? {
        var (entries, rest) = ([UInt8: [[UInt8]: [UInt8]?]](), bytes)
        while !rest.isEmpty {
            guard rest.count >= 7 else { return nil }
            let head = Array(rest.prefix(7))
            let keyCount = Int(head[1]) | Int(head[2]) << 8
            let valueCount = head.number(at: 3, as: UInt32.self)
            rest = rest.dropFirst(7)
            let isRemoved = valueCount == UInt32.max
            guard (1...511).contains(keyCount), rest.count >= keyCount + (isRemoved ? 0 : Int(valueCount)) else {
                return nil
            }
            let value = isRemoved ? nil : Array(rest.dropFirst(keyCount).prefix(Int(valueCount)))
            entries[head[0], default: [:]].updateValue(value, forKey: Array(rest.prefix(keyCount)))
            rest = rest.dropFirst(keyCount + (value?.count ?? 0))
        }
        return entries
    }
}
