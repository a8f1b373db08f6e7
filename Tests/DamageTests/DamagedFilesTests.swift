import Foundation
import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryServer
import StoryStorage
import StoryWire
import TestSupport
import Testing

/// A log and models of which one thing is not as it was written, opened in this process: what LMDB dies of would end it.
@Suite(.serialized) struct DamagedFilesTests {
    private static let count = 500
    private static let events = Everything.events(count, seed: 3)
    private static let journalSize = 65_536

    @Test func `every event and every entry of the models is as it was written, or damage is named`() throws {
        let scratch = try Scratch()
        try Self.make(scratch.place("store"))
        let lines = Self.events.map(\.json)
        let rows = Everything.folded(Self.events)
        let files = [
            "log/data.mdb", "models/data.mdb", "log.journal", "models/data.mdb", "log/data.mdb", "models/checksums",
        ]
        let folder = try ImageFolder()
        var (refused, named, anew) = (0, 0, 0)
        let images = imageCount * 10
        for number in 0..<images {
            var random = SplitMix64(seed: UInt64(number + 1_000_000))
            let image = try folder.image(of: scratch.place("store"))
            let damage = try Damage(files[number % files.count], in: image, &random)
            do {
                let (lost, isAnew) = try Self.read(image, lines, rows, "image \(number), \(damage)")
                named += lost > 0 ? 1 : 0
                anew += isAnew ? 1 : 0
            } catch let error as StorageError {
                guard case .corrupt = error else { throw error }
                guard damage.file.hasPrefix("models") else {
                    refused += 1
                    continue
                }
                // A page of the models is compared at its first use; the next opening folds them again.
                let (lost, isAnew) = try Self.read(image, lines, rows, "image \(number), \(damage), again")
                expect(lost == 0 && isAnew, "image \(number), \(damage)")
                anew += 1
            }
        }
        print("damaged files: \(images) images, \(refused) refused, \(named) with events named, \(anew) folded anew")
        expect(
            refused > images / 20 && named > images / 20 && anew > images / 20, "the images do not reach everything")
    }

    @Test func `an event that changed is noticed here where its checksum is not looked at`() throws {
        let scratch = try Scratch()
        try Self.make(scratch.place("store"))
        let lines = Self.events.map(\.json)
        let url = URL(fileURLWithPath: scratch.place("store/log/data.mdb"))
        var bytes = [UInt8](try Data(contentsOf: url))
        let json = try require(Data(bytes).range(of: Data(lines[122])))
        // A checksum that fits what was changed is as good as none.
        let start = try require(
            (1...200).map { json.lowerBound - $0 }.first { start in
                bytes[start...].withUnsafeBytes { rest in
                    let record = rest.prefix(RecordLayout.count(rest))
                    return (try? Record.read(UnsafeRawBufferPointer(rebasing: record), at: 123)) != nil
                }
            })
        bytes[json.lowerBound + 20] ^= 1
        let end = start + bytes[start...].withUnsafeBytes { RecordLayout.count($0) }
        let checksum = bytes[(start + EventHeader.stateStart)..<end].withUnsafeBytes {
            Checksum.of($0, position: 123)
        }
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt64.self) }
        try Data(bytes).write(to: url)
        try withKnownIssue {
            _ = try Self.read(scratch.place("store"), lines, Everything.folded(Self.events), "planted")
        } matching: {
            // Nothing is thrown: it is served, and is not what was written.
            $0.error == nil
        }
    }

    /// A store that went through several flushes and checkpoints; the last events are in the journal alone.
    private static func make(_ path: String) throws {
        try serve(path) { log, models in
            let projector = ModelProjector(CataloguePlan(.standard), store: models, json: JSONObjectReader())
            for (index, event) in events.enumerated() {
                try log.append(event)
                let result = event.withRecord { record in
                    Result { () throws(StorageError) in try projector.fold(record) }
                }
                try result.get()
                if index % 7 == 6 || index == count - 1 { try log.commit() }
                if index % 70 == 69 {
                    try log.commit()
                    try log.flush()
                    try models.writeDown(at: log.head)
                }
            }
            // What closing would flush stays in the journal of the copy.
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    }

    private static func serve<Value>(
        _ path: String, _ body: (LMDBEventLog, LMDBModelStore) throws -> Value
    ) throws -> Value {
        let directory = try DataDirectory(path, for: .serving)
        defer { directory.close() }
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1), journalSize: journalSize)
        defer { log.close() }
        // A copy has a name of its own, and the models of the history that it was copied from.
        let models = try LMDBModelStore(
            in: directory, storeID: log.storeID, ancestors: log.storedIdentity.ancestors, head: log.head,
            version: ModelVersion.current, tables: Catalogue.standard.tables)
        defer { models.close() }
        return try body(log, models)
    }

    /// Reads all of it; answers how many events are named as damaged, and whether the models were folded anew.
    private static func read(
        _ image: String, _ lines: [[UInt8]], _ rows: MemoryModelStore, _ name: String
    ) throws -> (lost: Int, isAnew: Bool) {
        try serve(image) { log, models in
            var lost = 0
            for (index, line) in lines.enumerated() {
                let position = Position(UInt64(index + 1))
                do {
                    var isThere = false
                    try log.records(at: [position]) {
                        isThere = true
                        expect(line == Array($0.json), "\(name): \(position)")
                        return true
                    }
                    expect(isThere, "\(name): \(position) is gone")
                } catch StorageError.corrupt(_, let at) {
                    expect(at == position || at == nil || at?.value ?? 0 <= position.value, "\(name): \(position)")
                    lost += 1
                }
            }
            expect(log.head == Position(UInt64(lines.count)), "\(name): \(log.head)")
            let verdict = Result { try log.verify { _ in } }
            // It reads what no record has as well: headers, tables and seals of blocks.
            expect(
                lost == 0 || (try? verdict.get()) == nil, "\(name): \(lost) events are damaged, which VERIFY misses")
            // What is named cannot be folded.
            do {
                try Recovery.fold(log, into: models, by: CataloguePlan(.standard)) { _, _ in }
            } catch StorageError.corrupt where lost > 0 {
                return (lost, models.renewal != nil)
            }
            for table in Catalogue.standard.tables {
                var (keys, values): ([[UInt8]], [[UInt8]]) = ([], [])
                try models.walk(table.number, .all, .ascending) {
                    keys.append(Array($0))
                    values.append(Array($1))
                    return true
                }
                let wanted = rows.entries(of: table)
                expect(keys == wanted.map(\.key) && values == wanted.map(\.value), "\(name): \(table.name)")
            }
            return (lost, models.renewal != nil)
        }
    }
}
