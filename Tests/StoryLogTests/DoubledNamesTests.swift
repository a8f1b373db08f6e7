import StoryCore
import StoryStorage
import Testing
import TestSupport

@testable import StoryLog

/// A stream that begins a second time under another number, and a key that two writes have.
struct DoubledNamesTests {
    /// An event that begins a stream of a name under a new number.
    private static func beginning(_ name: String, at position: UInt64, number: UInt64) -> Event {
        let event = EventMaker().event(position, stream: name)
        return Event(
            position: event.position, stream: event.stream, streamNumber: StreamNumber(number), version: Version(1),
            time: event.time, by: event.by, cursor: nil, key: nil, tags: nil, meta: nil, body: event.body)
    }

    /// A log of `count` events with keys, of which the first ones are in blocks, and of other events behind them.
    private static func log(_ count: UInt64, then others: [Event] = []) throws -> LogBench {
        let bench = try LogBench()
        for position in 1...count { try bench.log.append(EventMaker().event(position, key: "k\(position)")) }
        try bench.log.commit()
        try bench.log.flush()
        for event in others { try bench.log.append(event) }
        try bench.log.commit()
        return bench
    }

    private static func verdict(_ bench: LogBench) -> StorageError? {
        failure { () throws(StorageError) in try bench.log.verify { _ in } }
    }

    @Test(arguments: [true, false]) func `a stream that begins again is named, with both its positions`(
        isFlushed: Bool
    ) throws {
        let bench = try Self.log(20, then: [Self.beginning("note-3", at: 21, number: 8)])
        if isFlushed { try bench.log.flush() }
        let error = Self.verdict(bench)
        expect(error?.position == Position(21), "\(String(describing: error))")
        expect(error?.text == "the stream note-3 begins twice, at positions 4 and 21")
        expect(failure { () throws(StorageError) in try bench.log.namesCheck(through: Position(21))() } == error)
        #expect(throws: Never.self) { try bench.log.namesCheck(through: Position(20))() }
    }

    @Test func `a key of two writes is named, and the events of one write have one key`() throws {
        let write = (21...24).map { EventMaker().event(UInt64($0), key: "many") }
        expect(Self.verdict(try Self.log(20, then: write)) == nil)
        let bench = try Self.log(20, then: write + [EventMaker().event(25), EventMaker().event(26, key: "many")])
        let error = Self.verdict(bench)
        expect(error?.position == Position(26), "\(String(describing: error))")
        expect(error?.text == "the key many is of two writes, at positions 21 and 26")
        expect(failure { () throws(StorageError) in try bench.log.namesCheck(through: Position(26))() } == error)
    }

    @Test(arguments: [1 << 20, 100, 16, 3]) func `the first doubled name is found with little memory, in more passes`(
        limit: Int
    ) throws {
        let others = [
            Self.beginning("note-5", at: 301, number: 8), EventMaker().event(302, key: "k7"),
            Self.beginning("note-1", at: 303, number: 9),
        ]
        let bench = try Self.log(300, then: others)
        let view = try LogView(bench.log)
        for last in [300, 301, 303] as [UInt64] {
            var names = DoubledNames(limit: limit)
            try view.scan(from: Position(1), through: Position(last)) { (position, record) throws(StorageError) in
                names.add(try record.event(at: position))
                return true
            }
            let error = failure { () throws(StorageError) in try names.check(view, through: Position(last)) }
            expect(error?.position == (last == 300 ? nil : Position(301)), "\(last): \(String(describing: error))")
        }
    }
}
