import Foundation
import LoopSupport
import StoryCore
import StoryEngine
@testable import StoryLog
import StoryStore
@testable import StoryServer
import StoryStorage
import TestSupport
import Testing

/// Entries of another store's log, fed raw into a running loop: it holds, answers and proves the same as the original.
struct ForeignEntriesTests {
    private static let requests = [
        #"POST users {"id":"1","name":"Ana","email":"ana@example.org","prefecture":13}"#,
        #"POST users {"id":"2","name":"Bo","email":"bo@example.org","prefecture":1}"#,
        #"POST messages {"id":"m1","text":"Hello","sender":"1","recipient":"2"}"#,
        #"POST stories {"id":"s1","title":"A door","message":"m1","sender":"1","recipient":"2"}"#,
        #"LIKE stories/s1 {"user":"2"}"#,
        #"APPEND note-1 key=k1 {"type":"A","data":{"n":1},"tags":["t"]}"#,
        #"APPEND note-1 [{"type":"B","data":{}},{"type":"C","data":[1,2]}]"#,
        #"APPEND * key=k2 [{"stream":"a-1","type":"X","data":1},{"stream":"b-1","type":"Y","data":2}]"#,
        #"EDIT users/1 {"name":"Anna"}"#, "DELETE stories/s1",
    ]
    private static let queries = [
        "GET users/1", "GET users/2", "GET stories/s1", "LIST users", "LIST stories", "COUNT users", "COUNT stories",
        "LIST messages", "STREAMS", "READ events", "READ events/note-1 order=desc", "READ events/a-*", "PING",
        #"APPEND note-1 key=k1 {"type":"A","data":{"n":1},"tags":["t"]}"#, "GET users/1 at=1",
    ]

    /// Lends a loop over the log and the models of a directory.
    private func serve(
        _ bench: DirectoryBench, _ body: (DrivenLoop, LMDBEventLog, LMDBModelStore) throws -> Void
    ) throws {
        try bench.serve { log, models in
            let commits = HeldCommits(isHeld: false)
            let loop = try DrivenLoop(
                log: log, models: models, logWork: LogJobs(log, models), commits: commits)
            commits.whenDone = loop.wake
            loop.connected("a", "follower")
            try body(loop, log, models)
        }
    }

    /// The bytes of each record that is not in a block.
    private func records(_ log: LMDBEventLog) throws -> [[UInt8]] {
        try log.records.unflushed.flatMap { section in
            try (section.run.first...section.run.last).map { Array(try section.run.record(at: $0)) }
        }
    }

    private func seal(_ log: LMDBEventLog, at position: UInt64) throws -> Seal? {
        try log.verifier().run(sealAt: Position(position)) { _ in true }
    }

    private func entries(_ models: LMDBModelStore) -> [String: [[UInt8]]] {
        var entries: [String: [[UInt8]]] = [:]
        for table in Catalogue.standard.tables {
            models.scan(table) { key, value in
                entries[table.name, default: []] += [key, value]
                return true
            }
        }
        return entries
    }

    /// Two directories of one history, both without events.
    private func twins() throws -> (DirectoryBench, DirectoryBench) {
        let (first, second) = (try DirectoryBench(), try DirectoryBench())
        try first.serve { _, _ in }
        try FileManager.default.copyItem(atPath: first.path, toPath: second.path)
        return (first, second)
    }

    @Test(arguments: [1, 2, 3, 5, 100])
    func `a loop that is fed the records answers as the original does, with the same seals and rows`(
        portion: Int
    ) throws {
        let (first, second) = try twins()
        try serve(first) { original, log, models in
            for request in Self.requests { expect(original.ask(request, from: "a").last?.hasPrefix("+") == true) }
            let records = try records(log)
            expect(records.count == Int(log.head.value) && records.count > Self.requests.count)
            try serve(second) { copy, copied, copiedModels in
                for loop in [original, copy] { _ = loop.ask("SUBSCRIBE events from=1", from: "follower") }
                var fed: [String] = []
                for start in stride(from: 0, to: records.count, by: portion) {
                    let entry = records[start..<min(start + portion, records.count)].flatMap { $0 }
                    expect(try entry.withUnsafeBytes { try copy.server.driver.arrived($0) })
                    copy.run()
                    fed += copy.hear("follower")
                }
                expect(copied.head == log.head && copied.committed == log.head && copied.lastTime == log.lastTime)
                expect(fed.filter { !$0.contains("caughtUp") }.count == records.count)
                for query in Self.queries { expect(copy.ask(query, from: "a") == original.ask(query, from: "a")) }
                for position in 1...log.head.value {
                    expect(try seal(copied, at: position) == seal(log, at: position) && seal(log, at: position) != nil)
                }
                expect(entries(copiedModels) == entries(models))
                try goesOn(original, copy)
                expect(entries(copiedModels).keys == entries(models).keys)
            }
        }
    }

    /// What each writes now comes after all that it was fed.
    private func goesOn(_ original: DrivenLoop, _ copy: DrivenLoop) throws {
        copy.clock.jump(milliseconds: -1_000_000)
        let last = original.ask("READ events order=desc limit=1", from: "a").first
        let lines = [
            #"APPEND note-9 {"type":"Z","data":{}}"#, #"POST users {"name":"C","email":"c@x.org","prefecture":2}"#,
        ]
        for line in lines {
            let (theirs, ours) = (original.ask(line, from: "a"), copy.ask(line, from: "a"))
            for member in ["id", "stream"] { expect(ours.first?.text(member) == theirs.first?.text(member)) }
            for member in ["version", "position"] {
                expect(ours.first?.number(member) == theirs.first?.number(member))
            }
            expect(ours.first?.text("time") == last?.text("time"), "time never goes back")
        }
    }

    @Test func `records that cannot follow are refused, and none of the entry is taken`() throws {
        let (first, second) = try twins()
        var records: [[UInt8]] = []
        try serve(first) { original, log, _ in
            for request in Self.requests { _ = original.ask(request, from: "a") }
            records = try self.records(log)
        }
        try serve(second) { copy, log, _ in
            func feed(_ entry: [UInt8]) throws -> Bool {
                try entry.withUnsafeBytes { try copy.server.driver.arrived($0) }
            }
            var damaged = records[1]
            damaged[damaged.count - 1] ^= 1
            for wrong in [
                records[1], records[0] + damaged, records[0] + records[1].dropLast(), Array(records[0].prefix(20)),
            ] {
                #expect(throws: StorageError.self) { try feed(wrong) }
                expect(log.head == .zero)
            }
            let isTaken = try feed(records[0])
            expect(isTaken)
            expect(log.head == Position(1))
            copy.receive(#"APPEND note-1 {"type":"A","data":{}}"# + "\n", from: "a")
            let isTakenMeanwhile = try feed(records[1])
            expect(!isTakenMeanwhile, "an event of its own is not acknowledged")
            copy.run()
            expect(copy.hear("a").first?.number("position") == 2)
        }
    }
}
