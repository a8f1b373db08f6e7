import StoryCore
import StoryLog
import StoryStorage

/// Blocks: any bytes are a block or an error, a block is read as it was written, and no change of one goes unseen.
///
/// `how 1 · the bytes`; or `how 1 · position 2 · how many events 1 · the events · changes, each offset 2 and byte 1`.
final class BlockTarget: FuzzTarget {
    private let stored = StoredEvents()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let how = input.byte()
        if how & 1 == 0 {
            let copy = ExactCopy(input.rest)
            if how & 2 != 0 { BlockTarget.repair(copy.bytes, how) }
            read(copy.whole)
        } else {
            write(&input, how)
        }
    }

    private func write(_ input: inout FuzzInput, _ how: UInt8) {
        let first = UInt64(input.short()) + 1
        let count = Int(input.byte() % 6) + 1
        let memory = stored.memory(input.events(count, from: first), after: Position(first - 1))
        guard let section = memory.sections(from: first, through: first + UInt64(count) - 1).first else {
            return hold(false, "what was appended is in memory")
        }
        let block = ExactCopy([], slack: section.byteCount)
        guard let base = block.bytes.baseAddress else { return }
        let seal = stored.write(section, to: base)
        let bytes = UnsafeRawBufferPointer(block.bytes)
        guard let header = BlockHeader(bytes), let run = header.run(bytes) else {
            return hold(false, "a block that was written is one")
        }
        hold(header.first == first && header.count == count, "a block knows its positions")
        hold(run.bytes.elementsEqual(section.run.bytes), "a block has its records")
        hold(header.seal(bytes) == seal && stored.seal(of: run) == seal, "a block has its seal")
        change(block.bytes, &input, how)
    }

    /// Changes bytes of a block: that is noticed, where nobody who knows the checksums changed those as well.
    private func change(_ block: UnsafeMutableRawBufferPointer, _ input: inout FuzzInput, _ how: UInt8) {
        let before = Array(block)
        while !input.isEmpty {
            let offset = input.short() % block.count
            block[offset] ^= input.byte()
        }
        let bytes = UnsafeRawBufferPointer(block)
        if how & 2 == 0, !bytes.elementsEqual(before) { hold(isRefused(bytes), "a block that was changed is refused") }
        BlockTarget.repair(block, how)
        read(bytes)
    }

    private func isRefused(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let header = BlockHeader(bytes), let run = header.run(bytes) else { return true }
        let isWhole = (run.first...run.last).allSatisfy { position in
            do throws(StorageError) {
                _ = try Record.read(try run.record(at: position), at: position)
                return true
            } catch { return false }
        }
        return !isWhole || stored.seal(of: run) != header.seal(bytes)
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        guard let header = BlockHeader(bytes), let run = header.run(bytes) else { return }
        hold(run.first == header.first && run.last == header.last, "a block's records are its own")
        hold(header.seal(bytes).bytes.count == Seal.size, "a block has a seal")
        _ = stored.seal(of: run)
        for position in run.first...run.last {
            guard let record = try? run.record(at: position) else { continue }
            let copy = ExactCopy(record)
            RecordTarget.repair(copy.bytes, at: position, 2)
            RecordTarget.read(copy.whole, at: position)
            RecordTarget.read(record, at: position)
        }
    }

    /// Makes the header and its checksum those of a block, so that what is behind them is looked at.
    private static func repair(_ bytes: UnsafeMutableRawBufferPointer, _ how: UInt8) {
        guard let base = bytes.baseAddress, bytes.count >= BlockHeader.overhead + 4 else { return }
        let given = UnsafeRawBufferPointer(bytes)
        let most = (bytes.count - BlockHeader.overhead) / 4
        let header = BlockHeader(
            count: min(max(Int(given.number(at: 4, as: UInt32.self)), 1), most),
            first: how & 4 == 0 ? given.number(at: 8, as: UInt64.self) : 1,
            firstTime: given.number(at: 16, as: Int64.self), lastTime: given.number(at: 24, as: Int64.self),
            byteCount: bytes.count)
        header.write(to: base)
    }
}
