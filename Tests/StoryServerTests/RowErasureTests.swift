import Foundation
import LoopSupport
import StoryCore
import StoryOffline
import StoryServer
import TestSupport
import Testing

/// Erasures of rows and of users, and of the labels of events, which the loop carries out over a data directory.
struct RowErasureTests {
    private static let canary = "Canary"
    private static let story =
        #"POST stories key=s1 {"id":"1","title":"\#(canary)Title1","message":"\#(canary)Text1","#
        + #""sender":"007","recipient":"008"}"#

    /// A store with two users, stories and messages between them, a photo, and the tags and keys of each.
    private static func bench(_ folder: TemporaryFolder) throws -> StoredLoop {
        let bench = try StoredLoop(folder.store)
        func user(_ id: String) -> String {
            #"POST users key=\#(canary)Key\#(id) {"id":"\#(id)","name":"\#(canary)Name\#(id)","#
                + #""email":"\#(canary)@\#(id).org","prefecture":13}"#
        }
        let lines = [
            user("007"), user("008"),
            story,
            #"POST stories {"id":"2","title":"Title2","message":"Text2","sender":"008","recipient":"007"}"#,
            #"LIKE stories/1 {"user":"008"}"#, #"LIKE stories/2 {"user":"007"}"#,
            #"POST stories {"id":"3","title":"\#(canary)Title3","message":"x","sender":"007","recipient":"008"}"#,
            "DELETE stories/3",
            #"POST messages {"id":"m1","text":"\#(canary)Said","sender":"007","recipient":"008","story":"2"}"#,
            #"POST messages {"id":"m2","text":"Answered","sender":"008","recipient":"007"}"#,
            #"APPEND order-1 key=\#(canary)K1 {"type":"Placed","tags":["\#(canary)Tag"],"data":{"n":1}}"#,
            #"APPEND order-2 key=k2 {"type":"Placed","tags":["\#(canary)Tag","vip"],"data":{"n":2}}"#,
        ]
        for line in lines {
            let answer = bench.settled(line).last
            expect(answer?.hasPrefix("+") == true, "\(line): \(answer ?? "")")
        }
        return bench
    }

    /// The files of a directory in which a text stands, or what is left of it where case is folded.
    private static func files(with text: String = canary, in path: String) -> [String] {
        FilesWith.any([text, text.lowercased()], in: path)
    }

    /// The models of a store, folded anew and compared.
    private static func expectFolds(_ bench: StoredLoop) {
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        expect(bench.settled("VERIFY").last?.contains(#""verified":"#) == true)
    }

    @Test func `a story is erased: its row is gone at every moment, and its likes`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        bench.loop.connected("w")
        bench.loop.send("SUBSCRIBE stories/1", from: "w")
        bench.loop.send("SUBSCRIBE stories sender=007", from: "w")
        _ = bench.loop.hear("w")
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        // Another name of the models' file shows its bytes after the store has removed it.
        let removed = folder.path + "/removed"
        try FileManager.default.createDirectory(atPath: removed, withIntermediateDirectories: false)
        try FileManager.default.linkItem(atPath: folder.store + "/models/data.mdb", toPath: removed + "/models")
        expect(Self.files(with: Self.canary + "Text1", in: removed) != [])
        let answer = try require(bench.settled("ERASE stories/1 reason=x expect=2").last)
        expect(answer.contains(#""events":2,"streams":1,"#) && answer.contains(#""labelled":1,"#), "\(answer)")
        for line in ["GET stories/1", "GET stories/1 at=5", #"EDIT stories/1 {"title":"T"}"#] {
            let gone = try require(bench.settled(line).last)
            expect(gone.contains(#""code":"gone""#) && gone.contains(#""erased":13"#), "\(line): \(gone)")
        }
        let pushed = bench.loop.hear("w").joined(separator: "\n")
        expect(pushed.contains(#""row":null"#) && pushed.contains(#""removed""#), "\(pushed)")
        expect(bench.settled("COUNT stories").last?.contains(#""count":1"#) == true)
        expect(bench.settled("COUNT stories sender=007").last?.contains(#""count":0"#) == true)
        expect(
            bench.settled(#"POST stories {"id":"1","title":"T","message":"M","sender":"007","recipient":"008"}"#)
                .last?.contains("exists") == true)
        // The key was kept, so that a repeated write does not bring the story back.
        let again = bench.settled(Self.story)
        expect(again.last?.contains(#""erased":13"#) == true, "\(again)")
        expect(Self.files(with: Self.canary + "T", in: folder.store).count > 0)
        expect(Self.files(with: Self.canary + "Text1", in: folder.store) == [])
        expect(Self.files(in: removed) == [])
        Self.expectFolds(bench)
        bench.stop()
        try Self.expectSameTables(folder)
    }

    /// Compares the tables of a stopped store with those of a fold from the start.
    private static func expectSameTables(_ folder: TemporaryFolder) throws {
        let report = try DirectoryBench.replay(folder.store)
        expect(report.isAlike, "\(report.models.compactMap(\.difference))")
    }

    @Test(arguments: [("profile", 1, 1), ("own", 6, 4), ("all", 9, 6)])
    func `a user goes with what the scope adds`(scope: String, events: Int, streams: Int) throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        let dry = bench.settled("ERASE users/007 scope=\(scope) dry=true")
        expect(dry.count == streams + 1, "\(dry)")
        let answer = try require(bench.settled("ERASE users/007 scope=\(scope) reason=x").last)
        expect(answer.contains(#""events":\#(events),"streams":\#(streams),"#), "\(answer)")
        let gone = try require(bench.settled("GET users/007").last)
        expect(gone.contains(#""erased":13"#), "\(gone)")
        for (line, from) in [
            ("GET stories/1", "own"), ("GET messages/m1", "own"), ("GET stories/2", "all"), ("GET messages/m2", "all"),
        ] {
            let isGone = scope == "all" || scope == from
            expect(bench.settled(line).last?.contains(#""erased":13"#) == isGone, "\(line)")
        }
        // The email is free, the ID is not; a user who is gone sends nothing.
        let user = #"{"id":"ID","name":"N","email":"\#(Self.canary)@007.org","prefecture":13}"#
        func posted(_ id: String) -> String {
            bench.settled("POST users " + user.replacingOccurrences(of: "ID", with: id)).last ?? ""
        }
        expect(posted("007").contains(#""code":"exists""#))
        expect(posted("009").hasPrefix("+"))
        expect(
            bench.settled(#"POST messages {"text":"T","sender":"007","recipient":"008"}"#).last?.contains("noSuch")
                == true)
        let listed = bench.settled("ERASURES")
        expect(
            listed.first?.contains(#""target":"users/007","scope":"\#(scope)","labels":"keep""#) == true, "\(listed)")
        // The like that the user gave stays.
        if scope != "all" { expect(bench.settled("GET stories/2").last?.contains(#""likes":1"#) == true) }
        expect(Self.files(with: Self.canary + "Name007", in: folder.store) == [])
        for text in ["Said", "Title3", "Text1"] {
            expect(
                Self.files(with: Self.canary + text, in: folder.store).isEmpty == (scope != "profile"), "\(text)")
        }
        Self.expectFolds(bench)
        bench.stop()
        try Self.expectSameTables(folder)
    }

    @Test func `labels are dropped with the content, or later, and no file has them`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        let tagged = "tags=\(Self.canary)Tag"
        let kept = try require(bench.settled("ERASE events/order-1 reason=x").last)
        expect(kept.contains(#""labelled":1,"#), "\(kept)")
        expect(bench.settled("COUNT events \(tagged)").last?.contains(#""count":2"#) == true)
        let dry = bench.settled("ERASE events \(tagged) labels=drop dry=true")
        expect(
            dry.last?.contains(#""events":2,"streams":2,"#) == true && dry.last?.contains(#""labelled":0"#) == true,
            "\(dry)")
        let answer = try require(bench.settled("ERASE events \(tagged) labels=drop reason=x key=e1").last)
        expect(answer.contains(#""events":2,"#) && answer.contains(#""labelled":0,"#), "\(answer)")
        expect(bench.settled("ERASE events \(tagged) labels=drop reason=x key=e1").last == answer)
        expect(bench.settled("ERASE events \(tagged) reason=x key=e1").last?.contains("keyReused") == true)
        expect(bench.settled("COUNT events \(tagged)").last?.contains(#""count":0"#) == true)
        expect(bench.settled("READ events tags=vip").count == 1)
        for line in bench.settled("READ events/order-*").dropLast() {
            expect(line.contains(#""erased":"#) && !line.contains("key") && !line.contains("tags"), "\(line)")
        }
        // A key that is gone is new, and its write is done.
        let again = bench.settled(#"APPEND order-2 key=k2 {"type":"Placed","data":{"n":3}}"#).last
        expect(again?.contains(#""version":2"#) == true && again?.contains("repeated") == false, "\(again ?? "")")
        expect(
            bench.settled(#"APPEND order-2 key=k2 {"type":"Placed","data":{"n":3}}"#).last?.contains("repeated") == true
        )
        expect(bench.settled("ERASE events \(tagged) labels=drop reason=x").last?.contains("notFound") == true)
        expect(bench.settled("ERASE events/order-1 labels=drop reason=x").last?.contains("gone") == true)
        expect(bench.settled("ERASURES").dropLast().map { $0.contains(#""labels":"drop""#) } == [false, true])
        for text in ["Tag", "K1"] { expect(Self.files(with: Self.canary + text, in: folder.store) == []) }
        Self.expectFolds(bench)
        bench.stop()
        try Self.expectSameTables(folder)
    }

    @Test func `a user whose content is erased loses the labels later`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        expect(bench.settled("ERASE users/007 reason=x").last?.contains(#""labelled":2,"#) == true)
        expect(bench.settled("ERASE users/007 reason=x").last?.contains(#""code":"gone""#) == true)
        let answer = try require(bench.settled("ERASE users/007 labels=drop reason=x").last)
        expect(answer.contains(#""events":2,"streams":2,"#), "\(answer)")
        for text in ["Key007", "Name007", "Said"] {
            expect(Self.files(with: Self.canary + text, in: folder.store) == [])
        }
        expect(!Self.files(with: Self.canary + "Key008", in: folder.store).isEmpty)
        bench.stop()
        try Self.expectSameTables(folder)
    }

    @Test func `definitions that come and go while new models are folded do not hold an erasure up`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        bench.loop.send("ERASE stories/1 reason=x", from: "a")
        while bench.loop.said("rebuilding") == 0 {
            if bench.held.count > 0 { bench.held.run(0) }
            bench.loop.tick()
        }
        _ = bench.loop.hear("a")
        // Whatever follows the erasure on its connection waits for it.
        bench.loop.connected("b")
        bench.loop.send(#"DEFINE orders "from order; n: number; on Placed { n = data.n }""#, from: "b")
        for _ in 0..<50 where !bench.loop.ask("MODELS", from: "b").joined().contains(#""state":"ready""#) {
            // The fold of the built-in models is the first.
            if bench.held.count > 1 { bench.held.run(1) }
            bench.loop.tick()
        }
        expect(bench.loop.ask("COUNT orders", from: "b").last?.contains(#""count":2"#) == true)
        expect(bench.loop.said("rebuilt") == 0 && bench.held.count > 0)
        bench.settle()
        expect(bench.loop.hear("a").last?.contains(#""media":"#) == true)
        expect(bench.loop.said("not-rebuilt") == 0, "\(bench.loop.trace)")
        Self.expectFolds(bench)
        expect(bench.settled("COUNT orders").last?.contains(#""count":2"#) == true)
        bench.stop()
        try Self.expectSameTables(folder)
    }

    @Test func `a fold beside an erasure that replaces models compares nothing`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        bench.loop.send("ERASE stories/1 reason=x", from: "a")
        bench.loop.run()
        bench.end()
        #expect(throws: ReplayError.erasing) { try DirectoryBench.replay(folder.store) }
        let again = try StoredLoop(folder.store)
        expect(again.pass { again.settled("ERASURES").first?.contains(#""done":"#) == true })
        again.stop()
        try Self.expectSameTables(folder)
    }

    @Test func `after a start in the middle the rows are gone, and the erasure goes on`() throws {
        let folder = TemporaryFolder()
        let bench = try Self.bench(folder)
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        bench.loop.connected("e")
        bench.loop.send("ERASE users/007 labels=drop reason=x", from: "e")
        bench.end()
        let again = try StoredLoop(folder.store)
        expect(again.settled("GET users/007").last?.contains(#""erased":13"#) == true)
        again.settle()
        expect(again.settled("ERASURES").first?.contains(#""done":"#) == true)
        for text in ["Key007", "Name007", "Said"] {
            expect(Self.files(with: Self.canary + text, in: folder.store) == [])
        }
        again.stop()
        try Self.expectSameTables(folder)
    }
}
