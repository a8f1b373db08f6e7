import StoryCore
@testable import StoryOffline
import StoryLog
import StoryStore
import StoryWire
import TestSupport
import Testing

@Suite struct ReplayTests {
    /// A stored log of so many events, with its models.
    private func stored(_ events: [Event]) throws -> DirectoryBench {
        let bench = try DirectoryBench()
        try bench.write(events)
        try bench.foldAll()
        return bench
    }

    @Test func `the stored models are the log, folded`() throws {
        let events = Everything.events(3_000)
        let report = try stored(events).replay { $0.isVerifying = true }
        expect(report.isAlike)
        expect(report.position == Position(3_000))
        expect(report.models.map(\.model) == Catalogue.standard.models)
        expect(report.models.allSatisfy { $0.difference == nil && $0.stored == $0.digest })
        let memory = Everything.folded(events)
        for entry in report.models {
            expect(entry.digest == memory.digest(of: entry.model).text)
            let rows = Catalogue.standard.tables(of: entry.model).first.map { memory.entries(of: $0).count } ?? 0
            expect(entry.rows == UInt64(rows), "\(entry.model)")
        }
    }

    @Test(arguments: [0, 1, 57, 300])
    func `a replay to a position is the fold of what lies before it`(end: Int) throws {
        let events = Everything.events(300)
        let report = try stored(events).replay { $0.through = .position(Position(UInt64(end))) }
        let memory = Everything.folded(Array(events.prefix(end)))
        expect(report.position == Position(UInt64(end)))
        expect(report.head == Position(300))
        for entry in report.models { expect(entry.digest == memory.digest(of: entry.model).text, "\(entry.model)") }
    }

    @Test func `a log in which a stream begins twice is refused, with the stream and its positions`() throws {
        var maker = EventMaker()
        var events = (0..<9).map { maker.event("note-\($0 % 3)", .custom("T".type, data: "1".view)) }
        let again = events[1]
        events.append(
            Event(
                position: Position(10), stream: again.stream, streamNumber: StreamNumber(4), version: Version(1),
                time: maker.time, by: 1_000, key: nil, tags: nil, meta: nil, body: again.body))
        let bench = try stored(Array(events.dropLast()))
        expect(try bench.replay().position == Position(9))
        try bench.write([events[9]])
        let error = ReplayError.storage(
            .corrupt("the stream note-1 begins twice, at positions 2 and 10", at: Position(10)))
        #expect(throws: error) { try bench.replay() }
        expect(try bench.replay { $0.through = .position(Position(9)) }.position == Position(9))
    }

    @Test func `a replay to what the log does not have is refused, and says where the log ends`() throws {
        for (count, end) in [(300, 301), (300, 999)] {
            let bench = try stored(Everything.events(count))
            #expect(throws: ReplayError.beyondEnd(Position(UInt64(count)))) {
                try bench.replay { $0.through = .position(Position(UInt64(end))) }
            }
        }
    }

    @Test func `a replay to a time ends with the last event at or before it`() throws {
        let events = Everything.events(50)
        let report = try stored(events).replay { $0.through = .time(events[19].time) }
        expect(report.position == Position(20))
    }

    @Test func `only the models that are asked for are told of`() throws {
        let report = try stored(Everything.events(50)).replay { $0.models = ["likes", "keys"] }
        expect(report.models.map(\.model) == ["likes", "keys"])
        expect(report.models.allSatisfy { $0.stored == nil })
    }

    /// One entry of one table changed, and what is said of it.
    struct Tampering: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sentence: String
        let tamper: @Sendable (LMDBModelStore) throws -> Void

        static let all = [
            Tampering(
                testDescription: "another row", sentence: "users/u2 is stored otherwise than the log makes it",
                tamper: { store in
                    let key = Array("\0\u{2}u2".utf8)
                    var row = store.value(in: .users, at: key) ?? []
                    if !row.isEmpty { row[row.count / 2] ^= 1 }
                    store.put(row, in: .users, at: key)
                }),
            Tampering(
                testDescription: "a missing row", sentence: "users/u3 is not stored, though the log makes it",
                tamper: { $0.remove(in: .users, at: Array("\0\u{2}u3".utf8)) }),
            Tampering(
                testDescription: "an extra row", sentence: "is stored, but the log does not make it",
                tamper: { $0.put([1], in: .users, at: Array("\0\u{5}extra".utf8)) }),
            Tampering(
                testDescription: "an extra entry of an index", sentence: "storiesByTitle ",
                tamper: { $0.put([], in: .named("storiesByTitle"), at: Array("zzz".utf8) + [0, 0, 0, 0, 0, 4]) }),
            Tampering(
                testDescription: "a missing version of a stream", sentence: "streamPositions ",
                tamper: { store in
                    var first: [UInt8] = []
                    store.scan(StreamTables.streamPositions) { key, _ in
                        first = key
                        return false
                    }
                    store.remove(in: StreamTables.streamPositions, at: first)
                }),
            Tampering(
                testDescription: "another key", sentence: "keys k",
                tamper: { store in
                    var first: [UInt8] = []
                    store.scan(.keys) { key, _ in
                        first = key
                        return false
                    }
                    store.put([9], in: .keys, at: first)
                }),
        ]
    }

    @Test(arguments: Tampering.all)
    func `an entry that differs is named`(tampering: Tampering) throws {
        let bench = try stored(Everything.events(200))
        try bench.serve { log, store in
            try tampering.tamper(store)
            try store.writeDown(at: log.head)
        }
        let report = try bench.replay { $0.isVerifying = true }
        expect(!report.isAlike)
        let differences = report.models.compactMap(\.difference)
        expect(differences.count == 1)
        expect(differences.first?.contains(tampering.sentence) == true, "\(differences)")
    }

    @Test func `models that are behind the log are compared where they are`() throws {
        let events = Everything.events(200)
        let bench = try stored(Array(events[..<120]))
        try bench.write(Array(events[120...]))
        let report = try bench.replay { $0.isVerifying = true }
        expect(report.isAlike)
        expect(report.position == Position(120))
        expect(report.head == Position(200))
    }
}
