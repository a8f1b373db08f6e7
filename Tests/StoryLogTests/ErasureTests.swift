import Foundation
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// Erased records, as a value, behind a mask, in a file and in their place.
struct ErasureTests {
    @Test(arguments: 1...20) func `ordered events are read as they will be, from the commit on`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try ErasureBench.bench()
        let whole = try ErasureBench.records(bench.log)
        let plain = try ErasureBench.orders(bench.log, &random, upTo: 600)
        expect(try ErasureBench.records(bench.log) == whole)
        let expected = try ErasureBench.records(bench.log, plain)
        try bench.log.commit()
        try ErasureBench.check(bench.log, expected, &random)
        // Also after a kill, in the journal and in blocks.
        let killed = try bench.killed()
        try killed.open()
        try ErasureBench.check(killed.log, expected, &random)
        try killed.reopen()
        try ErasureBench.check(killed.log, expected, &random)
        let reader = try killed.killed()
        try reader.open(.reading)
        try ErasureBench.check(reader.log, expected, &random)
    }

    @Test func `orders that were undone mask nothing`() throws {
        let bench = try ErasureBench.bench()
        let whole = try ErasureBench.records(bench.log)
        try ErasureBench.order(bench.log, [1...20])
        try bench.log.rollBack()
        try bench.log.extend(by: 3)
        expect(try ErasureBench.records(bench.log) == whole && bench.log.erasure.erasers.isEmpty)
        // A file that names an event which is no order.
        try bench.log.flush()
        try ErasureRedo([Position(602)]).write(to: bench.directory.erasurePath)
        try bench.reopen()
        expect(try ErasureBench.records(bench.log) == whole && bench.log.erasure.erasers.isEmpty)
    }

    @Test func `orders of another history, of later events and of no events mask nothing`() throws {
        let bench = try ErasureBench.bench()
        let whole = try ErasureBench.records(bench.log)
        try ErasureBench.order(bench.log, [1...20], of: LogID("another".utf8))
        try ErasureBench.order(bench.log, [590...700])
        try ErasureBench.order(bench.log, [30...40, 35...50])
        try ErasureBench.order(bench.log, [])
        try bench.log.commit()
        expect(try ErasureBench.records(bench.log) == whole && bench.log.erasure.erasers.isEmpty)
        expect(bench.log.erasure.begin() == nil)
    }

    @Test(arguments: 1...20) func `erased records are the plain ones, and nothing else changes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bench = try ErasureBench.bench()
        let plain = try ErasureBench.orders(bench.log, &random, upTo: 600)
        let expected = try ErasureBench.records(bench.log, plain)
        try bench.log.commit()
        let seal = try bench.log.verifier().run { _ in true }
        let rest = try bench.log.lines(601)
        expect(try ErasureBench.erase(bench.log))
        expect(bench.log.erasure.erasers.isEmpty && !Folder.exists(bench.directory.erasurePath))
        try ErasureBench.check(bench.log, expected, &random)
        expect(try bench.log.verifier().run { _ in true } == seal)
        expect(try bench.log.lines(601) == rest)
        try bench.log.extend(by: 5)
        try bench.reopen()
        try ErasureBench.check(bench.log, expected, &random)
        expect(bench.log.erasure.erasers.isEmpty)
        let files = try [bench.file, bench.journal].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        for (position, erasure) in plain {
            for part in ["d", "m"] + (erasure.drops ? ["k", "t"] : []) {
                for file in files {
                    expect(
                        FilesWith.first(Data("needle-\(part)\(position)\"".utf8), in: file) == nil, "\(part)\(position)"
                    )
                }
            }
        }
    }

    @Test(arguments: 1...20) func `records that were overwritten in part are overwritten after a kill`(seed: UInt64)
        throws
    {
        var random = SplitMix64(seed: seed)
        let bench = try ErasureBench.bench()
        let plain = try ErasureBench.orders(bench.log, &random, upTo: 600)
        let expected = try ErasureBench.records(bench.log, plain)
        try bench.log.commit()
        try bench.log.flush()
        let seal = try bench.log.verifier().run { _ in true }
        let work = try require(bench.log.erasure.begin())
        let (erasures, _) = try work.prepare()
        expect(erasures.map(\.position.value) == plain.keys.sorted())
        bench.log.erasure.note(erasures)
        expect(bench.log.erasure.overwritingBegins())
        let view = try LogView(bench.log.environment, [])
        let writer = try Overwriting(bench.log.environment)
        for erasure in erasures where random.oneIn(2) {
            let record = try view.storedRecord(at: erasure.position)
            try writer.overwrite(record, by: ErasureBench.torn(erasure, record, &random))
        }
        view.close()
        try ErasureBench.check(bench.log, expected, &random)
        expect(try bench.log.verifier().run { _ in true } == seal)
        expect(try bench.log.seals().seal(at: Position(600)) == SealReader.plain(bench.log, 600))
        for access in [DataDirectory.Access.reading, .serving] {
            let killed = try bench.killed()
            try killed.open(access)
            try ErasureBench.check(killed.log, expected, &random)
            expect(try killed.log.verifier().run { _ in true } == seal)
            guard access == .serving else { continue }
            expect(try ErasureBench.erase(killed.log))
            try ErasureBench.check(killed.log, expected, &random)
            expect(try killed.log.verifier().run { _ in true } == seal)
        }
    }

    @Test func `no block that has an order is stored before the file that names it`() throws {
        let bench = try ErasureBench.bench()
        try ErasureBench.order(bench.log, [10...20])
        try bench.log.commit()
        let journal = try bench.killed()
        expect(!Folder.exists(journal.directory.erasurePath))
        mkdir(bench.directory.erasurePath + ".tmp", 0o700)
        #expect(throws: StorageError.self) { try bench.log.flush() }
        expect(bench.log.flushed == Position(500))
        let blocked = try bench.killed()
        try blocked.open()
        expect(blocked.log.erasure.erasers == [Position(601)])
    }

    @Test func `a copy that is made meanwhile has nothing of what is erased`() throws {
        let bench = try ErasureBench.bench()
        try ErasureBench.order(bench.log, [1...599])
        try bench.log.commit()
        let path = bench.folder.path + "/copy"
        _ = try bench.log.copier().run(to: path)
        let copy = try Data(contentsOf: URL(fileURLWithPath: path + "/log/data.mdb"))
        var (kept, rest) = ([String](), copy)
        while let start = FilesWith.first(Data("needle-d".utf8), in: rest) {
            rest = rest[(start + 8)...]
            kept.append(String(decoding: rest.prefix { 0x30...0x39 ~= $0 }, as: UTF8.self))
        }
        expect(Set(kept) == ["600"], "\(kept)")
    }

    @Test func `a reader of another time keeps records from being overwritten`() throws {
        let bench = try ErasureBench.bench()
        try ErasureBench.order(bench.log, [1...5])
        try bench.log.commit()
        try bench.log.flush()
        let view = try LogView(bench.log)
        let work = try require(bench.log.erasure.begin())
        let (_, transaction) = try work.prepare()
        expect(bench.log.erasure.isRead(before: transaction))
        // Flushes go on for as long as that takes.
        try bench.log.append(EventMaker().event(602, stream: "late-1", version: 1, number: 9))
        try bench.log.commit()
        try bench.log.flush()
        expect(bench.log.flushed == Position(602))
        view.close()
        expect(!bench.log.erasure.isRead(before: transaction))
    }
}

extension SealReader {
    /// The seal at a position, by a verification from the first record on.
    fileprivate static func plain(_ log: LMDBEventLog, _ position: UInt64) throws -> Seal? {
        try log.verifier().run(sealAt: Position(position)) { _ in true }
    }
}
