import StoryStorage
import CXXHash
import Glibc
package import StoryCore

/// The events of a journal of format 2 that are not in its log yet.
///
/// From byte 4,096 on one block a commit: `FF "SKJBLK" 00 · XXH3-64 of what follows 8 · generation 8 · sequence 8 ·
/// first position 8 · bytes of the block 4 · records 4`, then each record behind its length 4, zeros up to 64 bytes.
package struct LegacyJournal {
    private struct Block {
        let generation: UInt64
        let sequence: UInt64
        let first: UInt64
        let count: Int
        let length: Int

        var last: UInt64 { first + UInt64(count) - 1 }
    }

    private static let start = 4_096
    private static let alignment = 64

    /// The last position that it holds beyond the log; 0 when there is none.
    package private(set) var last: UInt64 = 0
    private let bytes: [UInt8]
    private var records: [(position: UInt64, range: Range<Int>)] = []

    /// Nil where there is no journal: format 1 had none, and copies were made without one.
    ///
    /// - Throws: `.corrupt` where it is not the log's, or holds not all that was acknowledged.
    package init?(_ path: String, _ id: [UInt8], after stored: Position) throws(StorageError) {
        guard Folder.exists(path) else { return nil }
        let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
        bytes = try file.read(Int(try file.status(path).st_size), at: 0, of: path)
        guard bytes.count > LegacyJournal.start, bytes.starts(with: Array("stkjlog1".utf8)),
            Array(bytes[8..<24]) == id, XXH3_64bits(bytes, 32) == bytes.number(at: 32, as: UInt64.self),
            bytes.number(at: 24, as: UInt64.self) == UInt64(bytes.count)
        else { throw .corrupt("\(path) is not the journal of its log", at: nil) }
        var end = LegacyJournal.start
        var before: Block?
        while let block = block(at: end), block.sequence == (before?.sequence).map({ $0 + 1 }) ?? 0,
            before == nil || before?.generation == block.generation
        {
            try take(block, at: end, after: stored.value)
            end += block.length
            before = block
        }
        try search(from: end, after: max(last, stored.value))
    }

    /// Visits the records beyond the log in order.
    ///
    /// - Throws: what `body` throws.
    package func forEachRecord(
        _ body: (UInt64, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        try bytes.withBytes { (bytes) throws(StorageError) in
            for (position, range) in records { try body(position, UnsafeRawBufferPointer(rebasing: bytes[range])) }
        }
    }

    private mutating func take(_ block: Block, at offset: Int, after stored: UInt64) throws(StorageError) {
        guard block.last > stored else { return }
        guard block.first == max(last, stored) + 1 else {
            throw .corrupt("the journal goes on at position \(block.first)", at: Position(max(last, stored) + 1))
        }
        var next = offset + 48
        for position in block.first...block.last {
            guard next + 4 <= offset + block.length else { throw Record.damaged(position, "is cut short") }
            let count = Int(bytes.number(at: next, as: UInt32.self))
            guard next + 4 + count <= offset + block.length else { throw Record.damaged(position, "is cut short") }
            records.append((position, next + 4..<next + 4 + count))
            next += 4 + count
        }
        last = block.last
    }

    /// A whole block with events that the log lacks says that what came before it is damaged.
    private func search(from end: Int, after known: UInt64) throws(StorageError) {
        for offset in stride(from: end, to: bytes.count, by: LegacyJournal.alignment) {
            guard let block = block(at: offset), block.last > known else { continue }
            throw .corrupt("the journal is damaged: it holds position \(block.last)", at: Position(known + 1))
        }
    }

    /// The block that begins here; nil unless every byte of it is as it was written.
    private func block(at offset: Int) -> Block? {
        guard offset + 48 <= bytes.count, bytes.number(at: offset, as: UInt64.self) == 0x00_4B_4C_42_4A_4B_53_FF
        else { return nil }
        let block = Block(
            generation: bytes.number(at: offset + 16, as: UInt64.self),
            sequence: bytes.number(at: offset + 24, as: UInt64.self),
            first: bytes.number(at: offset + 32, as: UInt64.self),
            count: Int(bytes.number(at: offset + 44, as: UInt32.self)),
            length: Int(bytes.number(at: offset + 40, as: UInt32.self)))
        guard block.length >= 64, block.length <= bytes.count - offset, Position.isRun(block.first, block.count) else {
            return nil
        }
        let sum = bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress.map { $0 + offset + 16 }, block.length - 16) }
        return sum == bytes.number(at: offset + 8, as: UInt64.self) ? block : nil
    }
}
