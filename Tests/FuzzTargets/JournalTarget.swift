import StoryCore
import StoryLog
import StoryStorage
import TestSupport

/// The journal of a log, changed: what it holds is found or is said to be damaged, and nothing acknowledged is lost.
///
/// `how 1 · the last stored position 1 · changes`, or with the lowest bit of `how` the sectors themselves.
final class JournalTarget: FuzzTarget {
    private static let halfSectors = 6
    private static let firstSector = JournalHeader.halvesStart / JournalSector.size
    private static let fileSize = JournalHeader.halvesStart + 2 * halfSectors * JournalSector.size

    private let stored = StoredEvents()
    private let header = JournalHeader(logID: Array(1...16), fileSize: JournalTarget.fileSize)
    /// A journal with three entries: events 1 and 2, event 3 behind them, 4 to 6 in the other half.
    private let image: [UInt8]
    /// The sectors of each entry, and the last position in it.
    private let entries: [(sectors: Range<Int>, last: Int)]
    /// The records in it.
    private let records: [[UInt8]]

    init() {
        let events = [UInt8](repeating: 0x37, count: 4_000).withUnsafeBytes { bytes in
            var input = FuzzInput(bytes)
            return input.events(6, from: 1)
        }
        var entries: [(sectors: Range<Int>, last: Int)] = []
        var image = header.bytes + [UInt8](repeating: 0, count: JournalTarget.fileSize - JournalHeader.size)
        let memory = stored.memory(events, after: .zero)
        image.withUnsafeMutableBytes { image in
            for number in JournalTarget.firstSector..<image.count / JournalSector.size {
                JournalTarget.empty(image, number)
            }
            var place = JournalTarget.firstSector
            for (index, positions) in ([1...2, 3...3, 4...6] as [ClosedRange<UInt64>]).enumerated() {
                if index == 2 { place = JournalTarget.firstSector + JournalTarget.halfSectors }
                let entry = EntryWriter(
                    sequence: UInt64(index + 1), number: place, first: positions.lowerBound, count: positions.count,
                    sections: memory.sections(from: positions.lowerBound, through: positions.upperBound))
                if let base = image.baseAddress { entry.write(to: base + place * JournalSector.size) }
                entries.append((place..<place + entry.sectors, Int(positions.upperBound)))
                place += entry.sectors
            }
        }
        self.image = image
        self.entries = entries
        records = (1...6).compactMap { position in
            (try? memory.run(at: position).record(at: position)).map { Array($0) }
        }
        hold(contents(image, after: .zero)?.count == 6, "the journal that is changed is whole")
    }
}

extension JournalTarget {
    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let how = input.byte()
        let last = UInt64(input.byte() % 7)
        var changed = image
        var emptied: Set<Int> = []
        if how & 1 == 0 {
            while !input.isEmpty { change(&changed, &input, &emptied) }
        } else {
            for (index, byte) in input.rest.prefix(changed.count - JournalHeader.halvesStart).enumerated() {
                changed[JournalHeader.halvesStart + index] = byte
            }
        }
        guard how & 2 != 0 else { return checkUnrepaired(changed, after: last, emptied) }
        changed.withUnsafeMutableBytes { JournalTarget.repair($0, how) }
        _ = contents(changed, after: Position(last))
    }

    /// The records behind a position; nil where the journal is damaged.
    private func contents(_ image: [UInt8], after stored: Position) -> [[UInt8]]? {
        let copy = ExactCopy(image)
        do throws(StorageError) {
            let contents = try JournalContents(copy.whole, header, after: stored, nil)
            var (found, next) = ([[UInt8]](), stored.value)
            try contents.forEachRecord(after: stored) { position, bytes in
                next += 1
                hold(position == next, "what a journal holds has no gap")
                found.append(Array(bytes))
            }
            return found
        } catch {
            guard case .corrupt = error else { fatalError("a journal that is read fails: \(error)") }
            return nil
        }
    }

    /// A sector that does not match its checksum is damage; one that was never written says that its entry is torn,
    /// which only the last one can be.
    private func checkUnrepaired(_ changed: [UInt8], after last: UInt64, _ emptied: Set<Int>) {
        guard let found = contents(changed, after: Position(last)) else {
            return hold(changed != image || emptied.isEmpty == false, "a whole journal is read")
        }
        let most = records.dropFirst(Int(last))
        hold(found == Array(most.prefix(found.count)), "a journal holds what was written")
        let ends = ends(emptied).map { max(0, $0 - Int(last)) }
        hold(ends.contains(found.count), "nothing is lost unseen")
    }

    /// Where a journal may seem to end: its last entry may be torn, and one that is wholly gone leaves the one before it
    /// as the last.
    private func ends(_ emptied: Set<Int>) -> [Int] {
        var ends = [records.count]
        for (index, entry) in entries.enumerated().reversed() {
            let lost = entry.sectors.filter { emptied.contains($0) }
            if lost.isEmpty { break }
            ends.append(index > 0 ? entries[index - 1].last : 0)
            if lost.count < entry.sectors.count { break }
        }
        return ends
    }

    private func change(_ image: inout [UInt8], _ input: inout FuzzInput, _ emptied: inout Set<Int>) {
        let kind = input.byte()
        let number = JournalTarget.firstSector + Int(input.byte()) % (2 * JournalTarget.halfSectors)
        let start = number * JournalSector.size
        image.withUnsafeMutableBytes { image in
            guard let base = image.baseAddress.map({ $0 + start }) else { return }
            switch kind % 6 {
            case 0: image[start + input.short() % JournalSector.size] ^= input.byte()
            case 1:
                JournalTarget.empty(image, number)
                emptied.insert(number)
            case 2:
                // Another sector's bytes.
                let other = JournalTarget.firstSector + Int(input.byte()) % (2 * JournalTarget.halfSectors)
                let bytes = Array(image[other * JournalSector.size..<(other + 1) * JournalSector.size])
                UnsafeMutableRawBufferPointer(start: base, count: JournalSector.size).copyBytes(from: bytes)
            case 3: base.put(JournalTarget.number(&input), at: 8)
            case 4: base.put(UInt32(truncatingIfNeeded: JournalTarget.number(&input)), at: 16 + 4 * Int(kind >> 7))
            default:
                // The first position of the entry, how many there are, how many bytes.
                let field = [24, 32, 36][Int(kind >> 4) % 3]
                let value = JournalTarget.number(&input)
                field == 24 ? base.put(value, at: 24) : base.put(UInt32(truncatingIfNeeded: value), at: field)
            }
        }
    }

    /// A small number, or one at the end of what there is.
    private static func number(_ input: inout FuzzInput) -> UInt64 {
        let byte = input.byte()
        return byte < 192 ? UInt64(byte) : (UInt64.max - UInt64(byte & 3)) >> UInt64((byte >> 2) & 15)
    }

    private static func empty(_ image: UnsafeMutableRawBufferPointer, _ number: Int) {
        guard let base = image.baseAddress.map({ $0 + number * JournalSector.size }) else { return }
        memoryZero(base, JournalSector.size)
        JournalSector.seal(base, number: number, sequence: 0, index: 0, count: 0)
    }

    private static func memoryZero(_ base: UnsafeMutableRawPointer, _ count: Int) {
        UnsafeMutableRawBufferPointer(start: base, count: count).initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Makes the checksums those of what there is: of each sector, and with bit 2 of each entry as well.
    private static func repair(_ image: UnsafeMutableRawBufferPointer, _ how: UInt8) {
        guard let base = image.baseAddress else { return }
        for number in (firstSector..<image.count / JournalSector.size).reversed() {
            let sector = base + number * JournalSector.size
            let given = UnsafeRawBufferPointer(start: sector, count: JournalSector.size)
            let count = given.number(at: 20, as: UInt32.self)
            if how & 4 != 0, number + Int(count) <= image.count / JournalSector.size {
                let sums = (1..<max(Int(count), 1)).map { index in
                    UnsafeRawBufferPointer(image).number(at: (number + index) * JournalSector.size, as: UInt64.self)
                }
                sector.put(JournalEntry.checksum(sums, given.number(at: 24, as: UInt64.self)), at: 40)
            }
            JournalSector.seal(
                sector, number: number, sequence: given.number(at: 8, as: UInt64.self),
                index: Int(given.number(at: 16, as: UInt32.self)), count: Int(count))
        }
    }
}
