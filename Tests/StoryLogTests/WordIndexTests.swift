import Glibc
import StoryCore
import StoryFind
import StoryStorage
import StoryWords
import TestSupport
import Testing

@testable import StoryLog

/// The index of words beside the matcher, which needs none.
struct WordIndexTests {
    /// A log with an index of its words.
    private final class IndexBench {
        let bench: LogBench
        var index: WordIndex
        let home: WordFiles

        init() throws {
            bench = try LogBench()
            home = WordFiles(folder: bench.folder.store + "/find", log: bench.log.storeID)
            index = WordIndex(home, besides: .standard)
        }

        var files: [String] { ["words.db", "words.db-wal"].map { home.folder + "/" + $0 } }

        func append(_ texts: [String], stream: String? = nil) throws {
            for text in texts {
                let position = bench.log.head.value + 1
                try bench.log.append(EventMaker().event(position, stream: stream, data: Self.json(text)))
            }
            try bench.log.commit()
        }

        static func json(_ text: String) -> String {
            let escaped = text.unicodeScalars.map { scalar in
                scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
            }
            return #"{"name":{"text":["\#(escaped.joined())",1]},"spring":true}"#
        }

        func fold() throws {
            let view = try LogView(bench.log)
            defer { view.close() }
            try index.fold(view, through: bench.log.committed) { false }
        }

        func find(
            _ question: WordQuestion, _ selection: EventSelection = EventSelection(source: .all),
            in range: ClosedRange<UInt64>? = nil, _ order: Order = .descending, limit: Int = 1_000
        ) throws -> (positions: [UInt64], next: UInt64?) {
            let head = bench.log.committed
            let positions = range.map { Position($0.lowerBound)...Position($0.upperBound) } ?? Position(1)...head
            let view = try LogView(bench.log)
            defer { view.close() }
            let search = EventSearch(question, of: selection, in: positions, order, limit: limit, head: head)
            let found = try index.find(search, in: view) { false }
            return (found.positions.map(\.value), found.next?.value)
        }

        func find(_ words: String) throws -> [UInt64] { try find(question(words)).positions }

        /// Ends as a process does, and begins again.
        func reopen() {
            index.close()
            index = WordIndex(home, besides: .standard)
        }
    }

    private static func question(_ text: String) throws -> WordQuestion {
        let read = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(FieldError) in try WordQuestion(spelled: bytes) }
        }
        return try read.get()
    }

    /// Words of many scripts, few enough that random texts have them often.
    private static let words = [
        "spring", "Spring", "cherry", "café", "CAFE", "straße", "strasse", "привет", "мир", "ё", "日本", "日本語", "本", "語",
        "語の", "テキスト", "が", "か", "한국", "한국어", "가", "สวัสดี", "สวัส", "שלום", "שָׁלוֹם", "سلام", "x2", "x²", "7", "नमस्ते", "a",
    ]

    @Test(arguments: 0..<8) func `an index finds what the texts have`(_ seed: Int) throws {
        let bench = try IndexBench()
        var random = SplitMix64(seed: UInt64(seed))
        func text(_ most: Int) -> String {
            let separators = [" ", "", ", ", "-", "\u{3000}"]
            return (0..<Int.random(in: 0...most, using: &random)).map { _ in
                (Self.words.randomElement(using: &random) ?? "") + (separators.randomElement(using: &random) ?? "")
            }.joined()
        }
        let texts = (0..<150).map { _ in text(6) }
        for start in stride(from: 0, to: texts.count, by: 30) {
            try bench.append(Array(texts[start..<start + 30]))
            try bench.fold()
            if random.oneIn(3) { bench.reopen() }
        }
        var found = 0
        for _ in 0..<250 {
            var parts: [String] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let phrase = random.oneIn(2) ? "\"\(text(3))\"" : Self.words.randomElement(using: &random) ?? ""
                parts.append((random.oneIn(4) ? "-" : "") + phrase + (random.oneIn(4) ? "*" : ""))
            }
            guard let question = try? Self.question(parts.joined(separator: " ")) else { continue }
            var matcher = WordMatcher(question)
            let expected = texts.indices.filter { index in
                matcher.clear()
                Array(texts[index].utf8).withUnsafeBytes { matcher.add($0) }
                return matcher.isMatch
            }.map { UInt64($0 + 1) }
            found += expected.count
            let all = EventSelection(source: .all)
            expect(try bench.find(question, all, .ascending).positions == expected, "\(parts)")
            expect(try bench.find(question, all, .descending).positions == expected.reversed(), "\(parts)")
        }
        expect(found > 500)
    }

    @Test func `pages, bounds and filters are those of the search`() throws {
        let bench = try IndexBench()
        try bench.append((1...60).map { "spring \($0)" })
        try bench.fold()
        let spring = try Self.question("spring")
        let first = try bench.find(spring, limit: 25)
        expect(first.positions == Array((36...60).reversed()) && first.next == 35)
        let second = try bench.find(spring, in: 1...35, limit: 35)
        expect(second.positions == Array((1...35).reversed()) && second.next == nil)
        let ascending = try bench.find(spring, in: 10...60, .ascending, limit: 2)
        expect(ascending.positions == [10, 11] && ascending.next == 12)
        let stream = EventSelection(source: .stream("note-3".stream))
        expect(try bench.find(spring, stream, .ascending).positions == (1...60).filter { ($0 + 6) % 7 == 3 })
        let none = EventSelection(source: .all, EventQuery(types: ["Other".type]))
        expect(try bench.find(spring, none).positions == [])
    }

    @Test func `neither names of members nor events of kinds and of the store are found`() throws {
        let bench = try IndexBench()
        try bench.append(["cherry"])
        for stream in ["story-1", "user-1", "model-orders", "cursor-x", "erasure-1", "system-1"] {
            try bench.append(["cherry"], stream: stream)
        }
        try bench.append(["cherry"], stream: "storytelling-1")
        try bench.fold()
        expect(try bench.find("cherry") == [8, 1])
        expect(try bench.find("text") == [] && bench.find("spring") == [])
    }

    @Test func `an index that is gone, of another log, of other words or no database is made anew`() throws {
        let bench = try IndexBench()
        try bench.append(["spring", "cherry"])
        try bench.fold()
        bench.index.close()
        for spoil in 0..<5 {
            let other = WordFiles(folder: bench.home.folder, log: Array(repeating: 7, count: 16))
            switch spoil {
            case 0: for file in bench.files { unlink(file) }
            case 1:
                let index = WordIndex(other, besides: .standard)
                let view = try LogView(bench.bench.log)
                try index.fold(view, through: bench.bench.log.committed) { false }
                expect(index.takeRenewal() == "it is of another log")
                view.close()
                index.close()
            case 2: RawFile.write(Array("no database at all".utf8), bench.files[0])
            case 3:
                unlink(bench.files[1])
                RawFile.write([], bench.files[0])
            case _: for offset in stride(from: 0, to: 4_096, by: 64) { RawFile.patch(bench.files[0], at: offset, 0xFF) }
            }
            bench.index = WordIndex(bench.home, besides: .standard)
            try bench.fold()
            expect(try bench.find("spring") == [1] && bench.find("cherry") == [2], "\(spoil)")
            expect((bench.index.takeRenewal() != nil) == [1, 2, 4].contains(spoil), "\(spoil)")
            bench.index.close()
        }
        expect(bench.files.allSatisfy { [0o600, 0].contains(RawFile.mode($0)) })
    }

    @Test func `a changed byte in any page is found, and nothing is answered wrong`() throws {
        let bench = try IndexBench()
        try bench.append((1...400).map { "spring \($0) word\($0 % 7) 日本語\($0 % 11)" })
        try bench.fold()
        let questions = ["spring", "word3", "17", "本語1", "spring -word2"]
        let answers = try questions.map { try bench.find($0) }
        bench.index.close()
        let (file, size) = (bench.files[0], RawFile.size(bench.files[0]))
        let whole = RawFile.read(file)
        expect(size >= 6 * 4_096 && RawFile.size(bench.files[1]) <= 0)
        var anew = 0
        var random = SplitMix64(seed: 7)
        for page in 0..<size / 4_096 {
            for _ in 0..<4 {
                let offset = page * 4_096 + Int.random(in: 0..<4_096, using: &random)
                RawFile.write(whole, file)
                RawFile.patch(file, at: offset, whole[offset] ^ UInt8(1 << Int.random(in: 0..<8, using: &random)))
                bench.index = WordIndex(bench.home, besides: .standard)
                for _ in 0..<2 {
                    for (question, answer) in zip(questions, answers) {
                        // The index is damaged, or right.
                        do throws(StorageError) {
                            let view = try LogView(bench.bench.log)
                            defer { view.close() }
                            try bench.index.fold(view, through: bench.bench.log.committed) { false }
                        } catch { continue }
                        guard let found = try? bench.find(question) else { continue }
                        expect(found == answer, "\(question) with byte \(offset) changed")
                    }
                }
                expect(try questions.map { try bench.find($0) } == answers)
                anew += bench.index.takeRenewal() == nil ? 0 : 1
                bench.index.close()
            }
        }
        // Not each page is read by these questions.
        expect(anew > size / 4_096)
    }

    @Test func `an index beyond the end of the log is made anew`() throws {
        let bench = try IndexBench()
        try bench.append(["spring", "cherry"])
        let before = try bench.bench.killed()
        try bench.append(["spring again"])
        try bench.fold()
        bench.index.close()
        try before.open()
        let index = WordIndex(bench.home, besides: .standard)
        let view = try LogView(before.log)
        try index.fold(view, through: before.log.committed) { false }
        expect(index.takeRenewal() == "it is at position 3, and the log ends at 2")
        expect(index.position == Position(2))
        view.close()
        index.close()
        before.close()
    }

    @Test func `an index is compared with the log, and one that lacks a word is made again`() throws {
        let bench = try IndexBench()
        var random = SplitMix64(seed: 3)
        let texts = (0..<400).map { _ in
            (0..<12).map { _ in ["spring", "Café", "日本語のテキスト", "x1", "a", "tea"].randomElement(using: &random) ?? "" }
                .joined(separator: " ")
        }
        try bench.append(texts)
        try bench.fold()
        let head = bench.bench.log.committed
        func compared(_ index: WordIndex, _ last: Position) throws -> Position {
            let view = try LogView(bench.bench.log)
            defer { view.close() }
            return try WordComparison(of: index).run(with: view, through: last) { false }
        }
        expect(try compared(bench.index, head) == head)
        let withoutTea = try #require(texts.firstIndex { !$0.contains("tea") })
        for (number, text) in [(0, "snow"), (211, ""), (withoutTea, texts[withoutTea] + " tea")] {
            let other = try IndexBench()
            var changed = texts
            changed[number] = text
            try other.append(changed)
            other.index = WordIndex(
                WordFiles(folder: other.home.folder, log: bench.bench.log.storeID), besides: .standard)
            try other.fold()
            #expect(throws: StorageError.self, "\(number)") { try compared(other.index, head) }
            bench.index = other.index
            try bench.fold()
            expect(bench.index.takeRenewal()?.contains("are others") == true)
            expect(try compared(bench.index, head) == head)
        }
    }

    @Test func `a search that holds the index keeps nobody who asks whether it was replaced`() throws {
        let bench = try IndexBench()
        try bench.append(["spring"])
        try bench.fold()
        let view = try LogView(bench.bench.log)
        defer { view.close() }
        let search = EventSearch(
            try Self.question("spring"), of: EventSelection(source: .all), in: Position(1)...Position(1), .descending,
            limit: 1, head: Position(1))
        var isFree: Bool?
        _ = try bench.index.find(search, in: view) {
            let other = Background { [index = bench.index] in _ = index.takeRenewal() }
            isFree = (try? other.join(within: 10)) != nil
            return false
        }
        expect(isFree == true)
    }

    @Test func `an erased index leaves no file, and whoever uses it fails`() throws {
        let bench = try IndexBench()
        try bench.append(["spring"])
        try bench.fold()
        try bench.index.erase()
        expect(try Folder.names(in: bench.home.folder) == [])
        #expect(throws: StorageError.self) { try bench.find("spring") }
        try bench.index.erase()
        bench.index = WordIndex(bench.home, besides: .standard)
        try bench.fold()
        expect(try bench.find("spring") == [1])
    }
}
