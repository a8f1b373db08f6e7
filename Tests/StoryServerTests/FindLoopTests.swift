import Foundation
import LoopSupport
import StoryCore
import StoryLog
import StoryServer
import StoryStorage
import TestSupport
import Testing

/// Searches for words in a loop over a data directory, whose work beside it is done when the test says so.
struct FindLoopTests {
    private static func append(_ text: String, to stream: String = "note-1", _ bench: StoredLoop) {
        let line = #"APPEND \#(stream) {"type":"Wrote","data":{"text":"\#(text)"}}"#
        expect(bench.settled(line).last?.hasPrefix("+") == true)
    }

    private static func count(_ answer: [String]) -> Int? {
        answer.last.flatMap { $0.hasPrefix("+") ? answer.count - 1 : nil }
    }

    @Test func `a search has what was acknowledged before it, and nothing is made before the first one`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.append("Spring cherry", bench)
        for _ in 0..<30 { bench.loop.tick() }
        bench.settle()
        expect(!Folder.exists(folder.store + "/find"))
        expect(Self.count(bench.settled("FIND events words=spring")) == 1)
        for number in 2...20 {
            Self.append("Spring \(number)", bench)
            let answer = bench.settled("FIND events words=spring limit=1000")
            expect(Self.count(answer) == number && answer.last?.contains(#""position":\#(number)"#) == true)
        }
        expect(bench.settled("METRICS").contains { $0.contains("storykeep_find_position 20") })
        bench.stop()
    }

    @Test func `a pipelined search waits for the writes of its connection`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        let write = #"APPEND note-1 {"type":"Wrote","data":"spring"}"#
        bench.loop.send(write, "FIND events words=spring", from: "a")
        bench.settle()
        expect(bench.loop.hear("a").map { $0.prefix(1) } == ["+", "=", "+"])
        bench.stop()
    }

    @Test func `searches wait in a bounded queue, and one that waits too long is busy`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.append("spring", bench)
        let names = (0..<70).map { "c\($0)" }
        for name in names {
            bench.loop.connected(name)
            bench.loop.send("FIND events words=spring", from: name)
        }
        // Two are begun, and 64 wait.
        expect(bench.held.count == 2)
        let refused = names.filter { name in
            bench.loop.hear(name).last?.contains(#""code":"busy""#) == true
        }
        expect(refused == Array(names.suffix(4)))
        for _ in 0..<60 { bench.loop.tick() }
        let late = names.dropFirst(2).prefix(64).map { bench.loop.hear($0).last ?? "" }
        expect(late.allSatisfy { $0.contains(#""code":"busy""#) && $0.contains(#""behind":1}"#) }, "\(late)")
        bench.settle()
        expect(names.prefix(2).allSatisfy { Self.count(bench.loop.hear($0)) == 1 })
        bench.stop()
    }

    @Test func `a client that leaves gets no answer, and takes no place`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.append("spring", bench)
        for number in 0..<66 {
            bench.loop.connected("c\(number)")
            bench.loop.send("FIND events words=spring", from: "c\(number)")
        }
        for number in 0..<66 { bench.loop.close("c\(number)") }
        bench.loop.send("FIND events words=spring", from: "a")
        bench.settle()
        expect(Self.count(bench.loop.hear("a")) == 1)
        bench.stop()
    }

    @Test func `a search waits where the log has no room for one more reader, and is answered once it has`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.append("spring", bench)
        expect(Self.count(bench.settled("FIND events words=spring")) == 1)
        func isBehind() -> Bool {
            bench.loop.ask("METRICS", from: "b").contains { $0.contains(#"condition=\"find-behind\"} 1"#) }
        }
        bench.loop.connected("b")
        var views: [LogView] = []
        while let view = try? LogView(bench.store.log) { views.append(view) }
        bench.loop.send("FIND events words=spring", from: "a")
        bench.settle()
        expect(isBehind())
        bench.loop.tick(60)
        let busy = bench.loop.hear("a")
        expect(busy.count == 1 && busy[0].contains(#""code":"busy""#) && busy[0].contains("trace"), "\(busy)")
        for view in views { view.close() }
        expect(Self.count(bench.settled("FIND events words=spring")) == 1)
        expect(!isBehind())
        bench.stop()
    }

    @Test func `an index that is off is denied, and one that is on is made by itself`() throws {
        let folder = TemporaryFolder()
        let off = try StoredLoop(folder.store, find: .off)
        Self.append("spring", off)
        expect(off.settled("FIND events words=spring").last?.contains(#""code":"denied""#) == true)
        off.stop()
        let on = try StoredLoop(folder.store, find: .on)
        expect(on.pass { on.loop.ask("METRICS", from: "a").contains { $0.contains("storykeep_find_position 1") } })
        expect(Self.count(on.settled("FIND events words=spring")) == 1)
        on.stop()
        // It is kept once it is there.
        let auto = try StoredLoop(folder.store)
        Self.append("spring again", auto)
        expect(auto.pass { auto.loop.ask("METRICS", from: "a").contains { $0.contains("storykeep_find_position 2") } })
        auto.stop()
    }

    @Test func `words of erased events are found no more once that is acknowledged, and are in no file in the end`()
        throws
    {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        // Words without a common beginning, which the index would leave out.
        let words = "abcdefghijklmnopqrst".map { String(repeating: $0, count: 9) }
        for (number, word) in words.enumerated() { Self.append("\(word) spring", to: "note-\(number % 2)", bench) }
        expect(Self.count(bench.settled("FIND events words=spring limit=1000")) == 20)
        bench.stop()
        expect(!FilesWith.any([words[2]], in: folder.store + "/find").isEmpty)
        let again = try StoredLoop(folder.store)
        again.loop.connected("b")
        again.loop.send(#"ERASE events/note-0 reason="asked for""#, from: "a")
        // From the commit of the order on nobody is told of it, whatever the index has while the steps are done.
        var answers = 0
        for _ in 0..<1_000 where again.held.count > 0 || answers == 0 {
            again.loop.send("FIND events words=\(words[2])", from: "b")
            if again.held.count > 0 { again.held.run(again.held.count - 1) }
            again.loop.run()
            again.loop.tick()
            for line in again.loop.hear("b") where "=+".contains(line.prefix(1)) {
                expect(!line.hasPrefix("="), "\(line)")
                answers += 1
            }
        }
        expect(answers > 0)
        again.settle()
        expect(again.loop.hear("a").last?.hasPrefix(#"+ {"id":"1""#) == true)
        expect(Self.count(again.settled("FIND events words=spring limit=1000")) == 10)
        expect(again.settled("VERIFY").last?.hasPrefix("+") == true)
        again.stop()
        expect(FilesWith.any([words[2]], in: folder.store) == [])
        expect(!FilesWith.any([words[3]], in: folder.store + "/find").isEmpty)
    }

    @Test func `a damaged index is made anew, and the search after that is right`() throws {
        let folder = TemporaryFolder()
        var bench = try StoredLoop(folder.store)
        for number in 1...50 { Self.append("spring \(number)", bench) }
        expect(Self.count(bench.settled("FIND events words=spring limit=1000")) == 50)
        bench.stop()
        let file = folder.store + "/find/words.db"
        expect(RawFile.size(file) > 8_192)
        for offset in stride(from: 4_096, to: RawFile.size(file), by: 97) { RawFile.patch(file, at: offset, 0x5A) }
        bench = try StoredLoop(folder.store)
        let first = bench.settled("FIND events words=spring limit=1000")
        expect(Self.count(first) == 50 || first.last?.contains(#""code":"busy""#) == true, "\(first)")
        expect(bench.pass { Self.count(bench.settled("FIND events words=spring limit=1000")) == 50 })
        expect(bench.loop.said("find-anew") == 1)
        bench.stop()
    }

    @Test func `next goes on in versions where one stream is searched, and in positions elsewhere`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        for number in 1...12 { Self.append("spring \(number)", to: "note-\(number % 2)", bench) }
        func pages(_ target: String, _ options: String) -> [[Int]] {
            var (pages, next) = ([[Int]](), String?.none)
            repeat {
                let from = next.map { " from=\($0)" } ?? ""
                let answer = bench.settled("FIND \(target) words=spring limit=4 \(options)\(from)")
                pages.append(
                    answer.dropLast().map { line in
                        Int(line.dropFirst(#"= {"position":"#.count).prefix { $0.isNumber }) ?? 0
                    })
                next = answer.last?.firstMatch(of: #/"next":(\d+)/#).map { String($0.1) }
            } while next != nil && pages.count < 10
            return pages
        }
        expect(pages("events", "") == [[12, 11, 10, 9], [8, 7, 6, 5], [4, 3, 2, 1]])
        expect(pages("events", "order=asc") == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
        expect(pages("events/note-1", "") == [[11, 9, 7, 5], [3, 1]])
        expect(pages("events/note-1", "order=asc") == [[1, 3, 5, 7], [9, 11]])
        expect(pages("events/note-*", "to=5") == [[12, 11, 10, 9], [8, 7, 6, 5]])
        expect(pages("events/note-1", "to=3 order=asc") == [[1, 3, 5]])
        expect(pages("events/other-1", "") == [[]])
        bench.stop()
    }
}
