import StoryCore
@testable import StoryOffline
import StoryFold
import StoryStore
import TestSupport
import Testing

/// The replay that sorts the log by stream, beside the fold in order, which is slow and obvious.
@Suite struct SortedReplayTests {
    private func bench(_ events: [Event]) throws -> DirectoryBench {
        let bench = try DirectoryBench()
        try bench.write(events)
        return bench
    }

    /// The digests of the log sorted; nil when it was refused.
    private func sorted(_ bench: DirectoryBench, through: UInt64) throws -> StreamDigests? {
        try bench.serve { log, _ in
            try SortedReplay.fold(log, CataloguePlan(.standard), through: Position(through)) { _, _ in }?.digests
        }
    }

    private func expectAlike(_ digests: StreamDigests?, _ events: [Event]) throws {
        let digests = try require(digests)
        let folded = Everything.folded(events)
        for table in Catalogue.standard.tables {
            expect(digests.digest(of: table) == folded.digest(of: table), "\(table.name)")
        }
    }

    @Test(arguments: 1...6)
    func `every table of a random history has the digest of the fold in order`(seed: UInt64) throws {
        let events = EngineHarness.random(seed: seed, 600).harness.log.events
        let bench = try bench(events)
        for end in [events.count, events.count / 2, 1] {
            try expectAlike(sorted(bench, through: UInt64(end)), Array(events.prefix(end)))
        }
    }

    @Test func `a log of many pieces is one log`() throws {
        let events = Everything.events(18_000, seed: 5)
        try expectAlike(sorted(bench(events), through: 18_000), events)
    }

    @Test func `texts with escapes, of many bytes and of none are what they are`() throws {
        var maker = EventMaker()
        let texts = ["", "\"", "a\\b", "line\nline\u{0}", "é👨‍👩‍👧‍👦", String(repeating: "x", count: 30_000) + "\u{1}"]
        var events = texts.enumerated().flatMap { number, text in
            [
                maker.event("story-s\(number)", .posted(title: text, date: "2026-01-01T00:00:00.000Z")),
                maker.event("user-u\(number)", .signedUp(name: text, email: "U\(number)@Example.org")),
                maker.event("story-s\(number)", .liked(by: "u\(number)")),
                maker.event("message-m\(number)", .sent(about: number % 2 == 0 ? "s\(number)" : nil)),
                maker.event(
                    "user-u\(number)",
                    .user(.revised(UserRevised(name: Text(text), email: Text("\(number)@b.c"), prefecture: 47)))),
            ]
        }
        events.append(maker.event("message-m1", .message(.seen)))
        try expectAlike(sorted(bench(events), through: UInt64(events.count)), events)
    }

    @Test func `likes of one story by many, taken back and given twice, are a set`() throws {
        var maker = EventMaker()
        var random = SplitMix64(seed: 3)
        var events = [maker.event("story-s1", .posted())]
        for _ in 0..<400 {
            let user = "u\(Int.random(in: 0..<90, using: &random))"
            events.append(maker.event("story-s1", random.oneIn(3) ? .unliked(by: user) : .liked(by: user)))
        }
        try expectAlike(sorted(bench(events), through: UInt64(events.count)), events)
    }

    @Test func `keys that come again belong to their first write`() throws {
        var maker = EventMaker()
        let keys = ["a", "a", "b", "a", "b", "b", "c", "c", "c"]
        let events = keys.enumerated().map { maker.event("note-\($0 % 2)", .noted(), key: $1) }
        try expectAlike(sorted(bench(events), through: 9), events)
    }

    @Test func `events that cannot follow change no row`() throws {
        var maker = EventMaker()
        let events = [
            maker.event("story-s1", .liked(by: "u1")), maker.event("story-s1", .posted()),
            maker.event("message-m1", .message(.seen)), maker.event("photo-p1", .photo(.deleted)),
            maker.event("story-s2", .posted()), maker.event("story-s2", .posted(title: "Again")),
            maker.event("story-s3", .posted()), maker.event("story-s3", .story(.deleted)),
            maker.event("story-s3", .liked(by: "u1")), maker.event("story-s4", .noted("StoryFramed")),
        ]
        try expectAlike(sorted(bench(events), through: 10), events)
    }

    @Test func `two users with one address want the order of the log`() throws {
        var maker = EventMaker()
        let events = [
            maker.event("user-u1", .signedUp(email: "a@b.c")), maker.event("user-u2", .signedUp(email: "A@b.c")),
        ]
        let bench = try bench(events)
        expect(try sorted(bench, through: 2) == nil)
        let report = try bench.replay()
        expect(report.models.first?.digest == Everything.folded(events).digest(of: "users").text)
    }

    @Test func `versions with a gap, and a stream that begins twice, want the order of the log`() throws {
        var maker = EventMaker()
        let first = maker.event("note-1", .noted())
        for version in [UInt64(1), 3] {
            let odd = Event(
                position: Position(2), stream: first.stream, streamNumber: first.streamNumber,
                version: Version(version), time: first.time, by: 1, key: nil, meta: nil, body: first.body)
            let bench = try bench([first, odd])
            expect(try sorted(bench, through: 2) == nil, "version \(version)")
            guard version > 1 else {
                #expect(throws: ReplayError.self, "a stream that begins twice is named") { try bench.replay() }
                continue
            }
            expect(try bench.replay().position == Position(2))
        }
    }

    @Test func `a damaged event is named, whichever thread meets it`() throws {
        var maker = EventMaker()
        let bench = try bench((0..<500).map { maker.event("story-s\($0)", .posted(title: "Title \($0)")) })
        expect(try Files.replace(#""Title 250""#, by: #""Title 2x0""#, in: bench.path + "/log/data.mdb") > 0)
        do {
            _ = try bench.replay()
            Issue.record("a changed event is taken for a good one")
        } catch let error as ReplayError {
            guard case .storage(.corrupt(_, let position)) = error else { throw error }
            expect(position == Position(251))
        }
    }
}
