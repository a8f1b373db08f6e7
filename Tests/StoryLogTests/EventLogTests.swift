import Glibc
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// A data directory with its log, for one test.
final class LogBench {
    let folder = TemporaryFolder()
    private(set) var directory: DataDirectory
    private var opened: LMDBEventLog?
    private let journalSize: Int

    init(journalSize: Int = 1 << 16, mapSize: Int = 1 << 40) throws {
        self.journalSize = journalSize
        directory = try DataDirectory(folder.store, for: .serving)
        var options = EnvironmentOptions()
        options.mapSize = mapSize
        opened = try LMDBEventLog(
            in: directory, now: Instant(milliseconds: 1), options, journalSize: journalSize)
    }

    var log: LMDBEventLog {
        guard let opened else { preconditionFailure("The log of an image is opened first.") }
        return opened
    }

    var file: String { folder.store + "/log/data.mdb" }
    var journal: String { folder.store + "/log.journal" }

    func close() {
        log.close()
        directory.close()
    }

    func open(_ access: DataDirectory.Access = .serving) throws {
        directory = try DataDirectory(folder.store, for: access)
        do {
            opened = try LMDBEventLog(in: directory, now: Instant(milliseconds: 2), journalSize: journalSize)
        } catch {
            directory.close()
            throw error
        }
    }

    func reopen() throws {
        close()
        try open()
    }

    /// What a process that is killed at this moment leaves behind, as a store of its own; nobody has it open.
    func killed() throws -> LogBench { try LogBench(imageOf: folder.store, journalSize) }

    private init(imageOf path: String, _ journalSize: Int) throws {
        self.journalSize = journalSize
        for name in ["", "/log"] { mkdir(folder.store + name, 0o700) }
        for name in ["/FORMAT", "/log.journal", "/erase.redo", "/log/data.mdb"] where Folder.exists(path + name) {
            RawFile.write(RawFile.read(path + name), folder.store + name)
        }
        directory = try DataDirectory(folder.store, for: .serving)
        directory.close()
    }
}

struct EventLogTests {
    @Test func `a new log is empty and has an identity of its own`() throws {
        let (first, second) = (try LogBench(), try LogBench())
        expect(first.log.head == .zero && first.log.committed == .zero && first.log.lastTime == nil)
        expect(first.log.storeID.count == 16 && first.log.storeID != second.log.storeID)
        expect(try first.log.lines() == [])
        expect(try first.log.position(at: Instant(milliseconds: .max)) == .zero)
        try first.log.verify { _ in }
    }

    @Test func `what was committed is there after opening again, and the identity with it`() throws {
        let bench = try LogBench()
        let storeID = bench.log.storeID
        for count in [1, 2, 50, 1] as [UInt64] { try bench.log.extend(by: count) }
        try bench.reopen()
        expect(bench.log.head == Position(54) && bench.log.committed == Position(54))
        expect(bench.log.lastTime == EventMaker().event(54).time)
        expect(bench.log.storeID == storeID)
        expect(try bench.log.lines() == usualLines(1...54))
        try bench.log.extend(by: 3)
        try bench.log.verify { _ in }
    }

    @Test func `what was not committed is gone after opening again`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        for position in 3...5 as ClosedRange<UInt64> { try bench.log.append(EventMaker().event(position)) }
        expect(bench.log.head == Position(5) && bench.log.committed == Position(2))
        try bench.reopen()
        expect(bench.log.head == Position(2))
    }

    @Test func `the events of this turn are read before they are committed`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 3)
        for position in 4...6 as ClosedRange<UInt64> {
            try bench.log.append(EventMaker().event(position))
            expect(try bench.log.lines() == usualLines(1...position))
            expect(try bench.log.lines(2, position, .descending) == usualLines((2...position).reversed()))
            expect(try bench.log.lines(position, position) == usualLines([position]))
            expect(try bench.log.position(at: EventMaker().event(position).time) == Position(position))
        }
        try bench.log.commit()
        try bench.log.verify { _ in }
        expect(try bench.log.lines() == usualLines(1...6))
    }

    @Test func `rolling back drops the turn alone, and later turns commit`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 2)
        let time = bench.log.lastTime
        for position in 3...4 as ClosedRange<UInt64> { try bench.log.append(EventMaker().event(position)) }
        try bench.log.rollBack()
        expect(bench.log.head == Position(2) && bench.log.lastTime == time)
        expect(try bench.log.lines() == usualLines(1...2))
        try bench.log.extend(by: 4)
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...6))
        try bench.log.verify { _ in }
    }

    @Test func `records are found again wherever their pages have moved meanwhile`() throws {
        let bench = try LogBench()
        for round in 0..<60 as Range<UInt64> {
            let head = bench.log.head.value
            // Small commits copy the last pages again and again; one that is abandoned leaves other bytes behind.
            try bench.log.append(EventMaker().event(head + 1, data: "{\"abandoned\":true}"))
            try bench.log.rollBack()
            try bench.log.extend(by: 1 + round % 7)
            let positions = (1...bench.log.head.value).map { Position($0) }
            for _ in 0..<2 {
                var lines: [String] = []
                try bench.log.records(at: positions) { record in
                    lines.append(String(decoding: record.json, as: UTF8.self))
                    return true
                }
                expect(try lines == bench.log.lines())
            }
        }
    }

    @Test(arguments: [1, 15, 16, 17, 47, 48, 49, 97, 120])
    func `many single events are found, some in blocks and some behind them`(count: Int) throws {
        let bench = try LogBench()
        try bench.log.extend(by: 90)
        try bench.log.commit()
        try bench.log.flush()
        try bench.log.extend(by: 30)
        let lines = try bench.log.lines()
        var random = SplitMix64(seed: UInt64(count))
        let positions = (1...120).map { Position($0) }.shuffled(using: &random).prefix(count)
        for _ in 0..<2 {
            var found: [String] = []
            try bench.log.records(at: Array(positions)) { record in
                found.append(String(decoding: record.json, as: UTF8.self))
                return true
            }
            expect(found == positions.map { lines[Int($0.value) - 1] })
        }
    }

    @Test func `committing nothing changes nothing`() throws {
        let bench = try LogBench()
        try bench.log.commit()
        try bench.log.extend(by: 1)
        try bench.log.commit()
        expect(bench.log.committed == Position(1))
        try bench.log.verify { _ in }
    }

    @Test func `a scan keeps to its bounds and ends when it is told`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 20)
        expect(try bench.log.lines(5, 8) == usualLines(5...8))
        expect(try bench.log.lines(5, 8, .descending) == usualLines((5...8).reversed()))
        expect(try bench.log.lines(0, 2) == usualLines(1...2))
        expect(try bench.log.lines(18, 99) == usualLines(18...20))
        expect(try bench.log.lines(21, 99) == [])
        expect(try bench.log.lines(9, 8) == [])
        expect(try bench.log.lines(1, 20, limit: 2) == usualLines(1...2))
        expect(try bench.log.lines(1, 20, .descending, limit: 2) == usualLines([20, 19]))
    }

    @Test func `single events are found, in any order, up to the head`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 10)
        try bench.log.append(EventMaker().event(11))
        var found: [UInt64] = []
        try bench.log.records(at: [9, 1, 11, 4, 12, 2].map(Position.init)) { record in
            found.append(record.position.value)
            return true
        }
        expect(found == [9, 1, 11, 4])
        for position in [Position(12), .zero] {
            try bench.log.records(at: [position]) { record in
                Issue.record("position \(record.position) was found at \(position)")
                return true
            }
        }
    }

    @Test func `readings may be nested`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 4)
        var seen: [String] = []
        try bench.log.scan(from: Position(1), through: Position(4), order: .ascending) { _ in
            seen += (try? bench.log.lines(2, 2)) ?? []
            return true
        }
        expect(seen == Array(repeating: usualLines([2]), count: 4).flatMap { $0 })
        try bench.log.extend(by: 1)
        expect(try bench.log.lines() == usualLines(1...5))
    }

    @Test func `a time finds the last event at or before it`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 30)
        let memory = MemoryEventLog()
        try memory.extend(by: 30)
        for offset in -5...320 as ClosedRange<Int64> {
            let time = Instant(milliseconds: EventMaker().time + offset)
            expect(try bench.log.position(at: time) == Position(UInt64(max(0, min(30, offset / 10)))))
            expect(try memory.position(at: time) == bench.log.position(at: time))
        }
    }

    @Test func `large and small events lie side by side`() throws {
        let bench = try LogBench()
        var lines: [String] = []
        for (index, count) in [0, 3_000, 1_048_000, 10, 2_000, 2_038, 1_990].enumerated() {
            let event = EventMaker().event(UInt64(index) + 1, data: "\"\(String(repeating: "x", count: count))\"")
            try bench.log.append(event)
            if index % 2 == 1 { try bench.log.commit() }
            lines.append(String(decoding: EventMaker.json(event), as: UTF8.self))
            expect(try bench.log.lines() == lines)
        }
        try bench.log.commit()
        try bench.reopen()
        expect(try bench.log.lines() == lines)
        try bench.log.verify { _ in }
    }

    @Test func `a full map refuses the turn, and later turns commit`() throws {
        let bench = try LogBench(mapSize: 1 << 20)
        try bench.log.extend(by: 100)
        let error = failure { () throws(StorageError) in try bench.log.extend(by: 10_000) }
        guard case .full = error else {
            Issue.record("not full but \(String(describing: error))")
            return
        }
        try bench.log.rollBack()
        expect(bench.log.head == Position(100))
        expect(try bench.log.lines() == usualLines(1...100))
        try bench.log.extend(by: 5)
        try bench.reopen()
        expect(try bench.log.lines() == usualLines(1...105))
        try bench.log.verify { _ in }
    }

    @Test func `a log opened for reading serves what is there`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 9)
        bench.close()
        try bench.open(.reading)
        expect(bench.log.head == Position(9))
        expect(try bench.log.lines() == usualLines(1...9))
        try bench.log.refresh()
        expect(bench.log.head == Position(9))
    }

    @Test func `an environment is opened once in a process`() throws {
        let bench = try LogBench()
        let error = failure { () throws(StorageError) in
            try Environment.open(at: bench.folder.store + "/log", EnvironmentOptions())
        }
        expect(error?.text.contains("open already") == true)
    }

    @Test func `the log in memory keeps the contract`() throws {
        let log = MemoryEventLog()
        try log.extend(by: 5)
        try log.append(EventMaker().event(6))
        expect(try log.lines(2, 9, .descending) == usualLines((2...6).reversed()))
        try log.rollBack()
        expect(log.head == Position(5) && log.lastTime == EventMaker().event(5).time)
        log.commitFailure = .full("no room")
        try log.append(EventMaker().event(6))
        expect(failure { () throws(StorageError) in try log.commit() } == .full("no room"))
        try log.rollBack()
        try log.extend(by: 1)
        expect(try log.lines() == usualLines(1...6))
    }
}
