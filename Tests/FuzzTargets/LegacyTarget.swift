import CXXHash
import Glibc
import StoryCore
import StoryLog
import StoryStorage
import TestSupport

/// A journal of the format before: whatever its blocks say, it is read or damaged, and its records follow one another.
///
/// `the last stored position 1`, then for each block `first position 1, or near the last there is · how many records 1 ·
/// bytes in units of 64 1 · the bytes`.
final class LegacyTarget: FuzzTarget {
    private static let start = 4_096
    private static let id = [UInt8](repeating: 5, count: 16)
    private let folder = TemporaryFolder()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let stored = UInt64(input.byte() & 7)
        var blocks: [UInt8] = []
        var sequence: UInt64 = 0
        while !input.isEmpty, blocks.count < 8_192 {
            blocks += LegacyTarget.block(&input, sequence)
            sequence += 1
        }
        var file = "stkjlog1".bytes + LegacyTarget.id
        file.append(littleEndian: UInt64(LegacyTarget.start + max(blocks.count, 64)))
        file.append(littleEndian: XXH3_64bits(file, file.count))
        file += [UInt8](repeating: 0, count: LegacyTarget.start - file.count)
        file += blocks.isEmpty ? [UInt8](repeating: 0, count: 64) : blocks
        RawFile.write(file, folder.store)
        read(after: stored)
    }

    private func read(after stored: UInt64) {
        do throws(StorageError) {
            guard let journal = try LegacyJournal(folder.store, LegacyTarget.id, after: Position(stored)) else {
                return hold(false, "a journal that is there is found")
            }
            var next = stored
            try journal.forEachRecord { position, bytes in
                next += 1
                hold(position == next, "what a journal holds has no gap")
                hold(bytes.reduce(0) { $0 | Int($1) } < 256, "a record can be read")
            }
            hold(journal.last == (next > stored ? next : 0), "a journal knows where it ends")
        } catch {
            hold(error.isCorrupt, "a journal that is no journal is damaged: \(error)")
        }
    }

    /// A block with the right checksum, whatever else it says.
    private static func block(_ input: inout FuzzInput, _ sequence: UInt64) -> [UInt8] {
        let (first, count, units) = (input.byte(), input.byte(), Int(input.byte() & 15) + 1)
        var tail: [UInt8] = []
        tail.append(littleEndian: UInt64(9))
        tail.append(littleEndian: sequence)
        tail.append(littleEndian: first < 224 ? UInt64(first) : UInt64.max - UInt64(first & 31))
        tail.append(littleEndian: UInt32(units * 64))
        tail.append(littleEndian: UInt32(count))
        tail += input.take(units * 64 - 48)
        tail += [UInt8](repeating: 0, count: units * 64 - 16 - tail.count)
        var block: [UInt8] = []
        block.append(littleEndian: 0x00_4B_4C_42_4A_4B_53_FF as UInt64)
        block.append(littleEndian: XXH3_64bits(tail, tail.count))
        return block + tail
    }
}
