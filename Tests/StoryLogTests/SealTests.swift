import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// The chain of seals, one a record.
struct SealTests {
    private static let root = Seal(bytes: [UInt8](repeating: 7, count: 32))

    /// Events with every combination of parts, the shortest among them.
    private static let events = (1...40 as ClosedRange<UInt64>).map { position in
        EventMaker().event(
            position, cursor: position % 4 == 0 ? "b/1@\(position)" : nil,
            key: position % 2 == 0 ? String(repeating: "k", count: Int(position)) : nil,
            tags: position % 3 == 0 ? EventTags.text([Array("t".utf8)]) : nil, meta: position % 5 == 0 ? "{}" : nil,
            data: String(repeating: "1", count: Int(position)))
    }

    /// The records of the events, drawn once, since each has salts of its own.
    private let records: [[UInt8]] = events.map { event in
        EventMaker.json(event).withBytes { json in
            let writer = RecordWriter(event.header(jsonCount: json.count), json)
            return [UInt8](unsafeUninitializedCapacity: writer.count) { buffer, count in
                if let base = buffer.baseAddress { writer.write(json, Salts(), to: UnsafeMutableRawPointer(base)) }
                count = writer.count
            }
        }
    }

    @Test func `a seal is the hash of the one before, the kept bytes and the commitments`() throws {
        var expected = SealTests.root.bytes
        for (index, event) in SealTests.events.enumerated() {
            let (record, json) = (records[index], EventMaker.json(event))
            let text = try require(EventText(event.header(jsonCount: json.count)))
            let start = record.count - Int(record[47]) - json.count
            let hasLabels = event.key != nil || event.tags != nil
            expect(start == (hasLabels ? 80 : 64))
            var sealed = expected + record[9..<48] + json[..<text.labels.lowerBound]
            if hasLabels { sealed += ErasedRecords.hash(Array(record[48..<64]) + json[text.labels]) }
            sealed += ErasedRecords.hash(Array(record[start - 16..<start]) + json[text.content])
            expected = ErasedRecords.hash(sealed)
            expect(try seal(records, cut: [index + 1]) == Seal(bytes: expected))
        }
    }

    @Test func `equal records have equal seals however their blocks are cut`() throws {
        let whole = try seal(records, cut: [40])
        var random = SplitMix64(seed: 5)
        for _ in 1...50 {
            let count = Int.random(in: 1...20, using: &random)
            let cuts = Set((1...count).map { _ in Int.random(in: 1...40, using: &random) })
            expect(try seal(records, cut: cuts.union([40]).sorted()) == whole)
        }
    }

    @Test func `erased parts leave every seal as it was, and all that is kept can be read`() throws {
        let whole = try seal(records, cut: [40])
        for hasNoLabels in [false, true] {
            var erased = records
            for (index, event) in SealTests.events.enumerated() {
                let hasLabels = event.key != nil || event.tags != nil
                guard hasLabels || !hasNoLabels else { continue }
                let position = event.position.value
                ErasedRecords.erase(&erased[index], at: position, by: 2_001 + position, hasNoLabels: hasNoLabels)
                try erased[index].withBytes { (bytes) throws(StorageError) in
                    let record = try Record.read(bytes, at: position)
                    let kept = EventMaker.json(event).prefix(record.text.count)
                    expect(Array(record.json) == Array(kept) && record.erased == Position(2_001 + position))
                    expect(record.data == nil && record.meta == nil)
                    expect(record.key.map { Array(record.json[$0]) } == (hasNoLabels ? nil : event.key?.bytes))
                    expect((record.tags == nil) == (hasNoLabels || event.tags == nil))
                    expect(record.text.cursor.map { Array(record.json[$0]) } == event.cursor.map { [UInt8]($0) })
                    expect(String(decoding: record.json[record.stream], as: UTF8.self) == event.stream.description)
                }
            }
            expect(try seal(erased, cut: [13, 40]) == whole)
        }
    }

    @Test func `nothing of an erased record is left that its text could be guessed by`() {
        var record = records[0]
        let (salt, checksum) = (Array(record[48..<64]), Array(record[0..<8]))
        ErasedRecords.erase(&record, at: 1, by: 9, hasNoLabels: false)
        expect(!record.contains(sequence: salt) && !record.contains(sequence: checksum))
        expect(!record.contains(sequence: Array(#","data":1}"#.utf8)))
    }

    @Test func `a changed byte of an erased record is noticed, under whatever checksum`() throws {
        let whole = try seal(records, cut: [40])
        for hasNoLabels in [false, true] {
            var erased = records
            let index = 5
            ErasedRecords.erase(&erased[index], at: 6, by: 2_001, hasNoLabels: hasNoLabels)
            let good = erased[index]
            let state = try require(ErasedState(good[8], hasLabels: true))
            expect(state.hasNoLabels == hasNoLabels)
            let header = good.withUnsafeBytes { EventHeader($0, at: Position(6)) }
            let layout = try require(RecordLayout(header))
            // The position of the eraser and kept labels of an erased event are under the checksum alone.
            let free = Set(layout.contentArea.pieces(32..<38).joined())
            for byte in 9..<good.count where !free.contains(byte) {
                erased[index] = good
                erased[index][byte] ^= 0x20
                ErasedRecords.check(&erased[index], at: 6)
                let found = try? seal(erased, cut: [40])
                expect(found != whole, "byte \(byte)")
            }
        }
    }

    @Test func `a state that no record has is refused`() throws {
        for (index, states) in [(0, [1, 3, 4, 6, 0x82]), (1, [1, 4, 7, 0x82])] as [(Int, [UInt8])] {
            for state in states {
                var record = records[index]
                record[8] = state
                ErasedRecords.check(&record, at: UInt64(index + 1))
                let error = failure { () throws(StorageError) in
                    try record.withBytes { (bytes) throws(StorageError) in
                        _ = try Record.read(bytes, at: UInt64(index + 1))
                    }
                }
                expect("\(try require(error))".contains("has state \(state)"))
            }
        }
    }

    /// The seal of the last record, with blocks that end at some positions.
    private func seal(_ records: [[UInt8]], cut ends: [Int]) throws -> Seal {
        var seal = SealTests.root
        var first = 0
        for end in ends {
            let block = OpenBlock(first: UInt64(first + 1), firstCount: records[first].count)
            for record in records[first..<end] {
                record.withUnsafeBytes {
                    if let base = $0.baseAddress { block.target.copyMemory(from: base, byteCount: $0.count) }
                }
                block.added(record.count)
            }
            let section = BlockSection(block, from: UInt64(first + 1), through: UInt64(end))
            let written = UnsafeMutableRawBufferPointer.allocate(byteCount: section.byteCount, alignment: 16)
            defer { written.deallocate() }
            guard let base = written.baseAddress else { return seal }
            seal = try section.write(to: base, after: seal)
            let bytes = UnsafeRawBufferPointer(written)
            expect(try require(BlockHeader(bytes)).seal(bytes) == seal)
            first = end
        }
        return seal
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
