import CXXHash
import StoryCore
import StoryStorage

/// One commit in the journal: these numbers, then its records in order, then zeros up to the next 64 bytes.
///
/// `magic 8 · checksum 8 · generation 8 · sequence 8 · first position 8 · length of the block 4 · how many records 4`,
/// little-endian; before each record its length, 4. The checksum is XXH3-64 of everything behind it.
struct JournalBlock: Equatable {
    /// Blocks begin at multiples of this.
    static let alignment = 64
    static let headerSize = 48
    /// The length before each record.
    static let recordHead = 4
    /// FF and 00 are in no JSON: no event can look like a block.
    private static let magic: UInt64 = 0x00_4B_4C_42_4A_4B_53_FF
    private static let checked = 16
    /// Positions, generations and sequences stay below this.
    private static let limit: UInt64 = 1 << 53

    /// Blocks of one generation follow one another from the journal's beginning on.
    let generation: UInt64
    /// 0, 1, 2 … within the generation.
    let sequence: UInt64
    let first: UInt64
    /// How many bytes it has with everything.
    let length: Int
    let count: Int

    var last: UInt64 { first + UInt64(count) - 1 }

    init(generation: UInt64, sequence: UInt64, first: UInt64, length: Int, count: Int) {
        self.generation = generation
        self.sequence = sequence
        self.first = first
        self.length = length
        self.count = count
    }

    /// The block that begins here; nil unless there is one and every byte of it is as it was written.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard let block = JournalBlock(unchecked: bytes, at: offset),
            JournalBlock.checksum(bytes, offset, block.length) == bytes.number(at: offset + 8, as: UInt64.self)
        else { return nil }
        self = block
    }

    /// As `init(_:at:)`, of bytes that need no check.
    init?(unchecked bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset + JournalBlock.headerSize <= bytes.count,
            bytes.number(at: offset, as: UInt64.self) == JournalBlock.magic
        else { return nil }
        generation = bytes.number(at: offset + 16, as: UInt64.self)
        sequence = bytes.number(at: offset + 24, as: UInt64.self)
        first = bytes.number(at: offset + 32, as: UInt64.self)
        length = Int(bytes.number(at: offset + 40, as: UInt32.self))
        count = Int(bytes.number(at: offset + 44, as: UInt32.self))
        guard length >= JournalBlock.alignment, length % JournalBlock.alignment == 0, length <= bytes.count - offset,
            count > 0, first > 0, max(first, generation, sequence) < JournalBlock.limit
        else { return nil }
    }

    /// Writes the numbers before records that are there already, and the zeros behind them.
    func write(to bytes: UnsafeMutableRawBufferPointer, at offset: Int, end: Int) {
        guard let base = bytes.baseAddress else { return }
        let padding = UnsafeMutableRawBufferPointer(rebasing: bytes[end..<offset + length])
        padding.initializeMemory(as: UInt8.self, repeating: 0)
        let place = base + offset
        place.put(JournalBlock.magic, at: 0)
        place.put(generation, at: 16)
        place.put(sequence, at: 24)
        place.put(first, at: 32)
        place.put(UInt32(length), at: 40)
        place.put(UInt32(count), at: 44)
        place.put(JournalBlock.checksum(UnsafeRawBufferPointer(bytes), offset, length), at: 8)
    }

    /// Where the records of the block at this offset lie; nil where their lengths do not fit it.
    func records(in bytes: UnsafeRawBufferPointer, at offset: Int) -> [Range<Int>]? {
        var places: [Range<Int>] = []
        places.reserveCapacity(min(count, length / JournalBlock.recordHead))
        var next = offset + JournalBlock.headerSize
        let end = offset + length
        for _ in 0..<count {
            guard next + JournalBlock.recordHead <= end else { return nil }
            let start = next + JournalBlock.recordHead
            let (after, isTooLong) = start.addingReportingOverflow(Int(bytes.number(at: next, as: UInt32.self)))
            guard !isTooLong, after <= end else { return nil }
            places.append(start..<after)
            next = after
        }
        return places
    }

    /// The next multiple of the alignment.
    static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ length: Int) -> UInt64 {
        XXH3_64bits(bytes.baseAddress.map { $0 + offset + checked }, length - checked)
    }
}
