import StoryCore
import StoryOffline
import StoryServer
import StoryStorage
import StoryWire
import TestSupport
import Testing

/// Searches of the words of rows, beside one that needs no index: it reads the whole log for each question.
struct FindRowTests {
    private static let words = ["spring", "Cherry", "café", "日本語", "語の", "it", "went", "straße", "x2"]

    /// Writes what must be acknowledged.
    private static func write(_ line: String, _ bench: StoredLoop) {
        expect(bench.settled(line).last?.hasPrefix("+") == true)
    }

    /// Posts the users that stories and messages are from and to.
    private static func postUsers(_ bench: StoredLoop) {
        for user in ["007", "008"] {
            write(#"POST users {"id":"\#(user)","name":"A","email":"\#(user)@b.example","prefecture":1}"#, bench)
        }
    }

    /// Writes at random, and returns the questions with the answers that the loop gave.
    private static func played(_ bench: StoredLoop, _ random: inout SplitMix64) -> [(
        question: String, answer: [String]
    )] {
        func text(_ random: inout SplitMix64) -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: random.oneIn(3) ? "" : " ")
        }
        postUsers(bench)
        var asked: [(question: String, answer: [String])] = []
        var position = 2
        for number in 1...160 {
            let id = Int.random(in: 1...12, using: &random)
            let (one, other) = (text(&random), text(&random))
            let people = random.oneIn(2) ? #""sender":"007","recipient":"008""# : #""sender":"008","recipient":"007""#
            let line =
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: #"POST stories {"id":"s\#(number)","title":"\#(one)","message":"\#(other)",\#(people)}"#
                case 3, 4: #"EDIT stories/s\#(id) {"title":"\#(one)"}"#
                case 5: #"EDIT stories/s\#(id) {"message":"\#(one)"}"#
                case 6: #"LIKE stories/s\#(id) {"user":"007"}"#
                case 7: "DELETE stories/s\(id)"
                case 8: #"POST messages {"id":"m\#(number)","text":"\#(one)",\#(people)}"#
                case _: "DELETE messages/m\(number - 3)"
                }
            let reply = bench.settled(line).last ?? ""
            if reply.hasPrefix("+"), !reply.contains(#""changed":false"#) { position += 1 }
            guard random.oneIn(2) else { continue }
            let kind = random.oneIn(4) ? "messages" : "stories"
            let sought = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }
            let unwanted = random.oneIn(4) ? " -" + (words.randomElement(using: &random) ?? "") : ""
            var question = "FIND \(kind) words=\"\(sought.joined(separator: " "))\(unwanted)\" limit=100"
            question += " at=\(Int.random(in: 1...position, using: &random))"
            if random.oneIn(3) { question += " sender=007" }
            asked.append((question, bench.settled(question)))
        }
        return asked
    }

    @Test(arguments: 0..<6) func `rows are found as they were, at each position`(_ seed: Int) throws {
        let folder = TemporaryFolder()
        var random = SplitMix64(seed: UInt64(seed))
        let bench = try StoredLoop(folder.store)
        let asked = Self.played(bench, &random)
        bench.stop()
        let plain = try StoredQueries(
            try DataDirectory(folder.store, for: .reading), try RequestTable(.standard), clock: .system
        ) { _, _ in }
        var found = 0
        for (question, answer) in asked {
            let lines = String(decoding: plain.answer(question), as: UTF8.self).split(separator: "\n").map(String.init)
            expect(answer.dropLast() == lines.dropLast(), "\(question)\n\(answer)\n\(lines)")
            expect(answer.last?.hasPrefix("+") == true, "\(question) \(answer)")
            found += answer.count - 1
        }
        expect(asked.count > 40 && found > 20, "\(asked.count) \(found)")
    }

    @Test func `pages of rows go on where filters stopped, and the best come first`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.postUsers(bench)
        for number in 1...700 {
            let sender = number == 3 ? "007" : "008"
            let text = number == 5 ? "spring spring spring" : "spring and a good deal of other words \(number)"
            let line = #"POST messages {"id":"m\#(number)","text":"\#(text)","sender":"\#(sender)","recipient":"007"}"#
            Self.write(line, bench)
        }
        func next(_ answer: [String]) -> String? {
            answer.last?.firstMatch(of: #/"next":"(\d+)"/#).map { String($0.1) }
        }
        let first = bench.settled("FIND messages words=spring sender=007")
        let after = try require(next(first))
        expect(first.count == 1)
        let second = bench.settled("FIND messages words=spring sender=007 after=\(after)")
        expect(second.count == 2 && second[0].contains(#""id":"m3""#) && next(second) == nil, "\(second)")
        let page = bench.settled("FIND messages words=spring limit=3")
        expect(page.count == 4 && page[0].contains(#""id":"m700""#))
        let third = bench.settled("FIND messages words=spring limit=3 after=\(try require(next(page)))")
        expect(third[0].contains(#""id":"m697""#))
        let best = bench.settled("FIND messages words=spring sort=rank limit=2")
        expect(best.count == 3 && best[0].contains(#""id":"m5""#) && next(best) == nil, "\(best)")
        let wrong = bench.settled("FIND messages words=spring sort=rank after=5")
        expect(wrong.last?.contains(#""field":"after""#) == true)
        bench.stop()
    }

    @Test func `rows that are erased are found no more, and the others still are`() throws {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        Self.postUsers(bench)
        for (id, word) in [("1", "zebra"), ("2", "quagga")] {
            let line =
                #"POST stories {"id":"\#(id)","title":"\#(word)","message":"wild","sender":"007","recipient":"008"}"#
            Self.write(line, bench)
        }
        expect(bench.settled("FIND stories words=wild").count == 3)
        Self.write(#"ERASE stories/1 reason="asked for""#, bench)
        let left = bench.settled("FIND stories words=wild")
        expect(left.count == 2 && left[0].contains("quagga"))
        expect(bench.settled("FIND stories words=zebra at=4").count == 1)
        bench.stop()
        expect(FilesWith.any(["zebra"], in: folder.store) == [])
    }
}
