import Foundation
import LoopSupport
import StoryCore
import StoryOffline
import StoryStorage
import StoryStore
import TestSupport
import Testing

@testable import StoryServer

/// Pages of the stored models that change after their first use, while the loop serves them: nothing is acknowledged that
/// a fold of the log does not give.
struct ChangedPagesTests {
    private static let (users, streams) = (60, 90)
    private static let pageSize = 4_096

    private static func user(_ number: Int, id: String? = nil) -> String {
        let id = id ?? #""id":"u\#(number)","#
        return #"POST users {\#(id)"name":"User","email":"u\#(number)@example.org","prefecture":\#(1 + number % 47)}"#
    }

    private static func keyed(_ number: Int) -> String {
        #"APPEND note-\#(number % streams) key=k\#(number) {"type":"T","data":{"n":\#(number)}}"#
    }

    /// A store with two events of each stream.
    private static func original() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let bench = try StoredLoop(folder.store)
        let lines = (0..<users).map { user($0) } + (0..<2 * streams).map(keyed)
        for line in lines { bench.loop.receive(line + "\n", from: "a") }
        expect(bench.settled("CHECKPOINT").allSatisfy { $0.hasPrefix("+") })
        bench.stop()
        return folder
    }

    /// Opens a store and uses every page that the writes of `write` need.
    private static func used(_ path: String) throws -> StoredLoop {
        let bench = try StoredLoop(path)
        for number in 0..<users { expect(code(bench.loop.ask(user(number), from: "a")) == "exists") }
        for number in 0..<2 * streams { expect(bench.loop.ask(keyed(number), from: "a")[0].contains("repeated")) }
        for number in 0..<streams {
            let line = #"APPEND note-\#(number) version=9 {"type":"T","data":1}"#
            expect(code(bench.loop.ask(line, from: "a")) == "conflict")
        }
        return bench
    }

    private static func code(_ lines: [String]) -> String? { lines.last?.text("code") }

    /// Sends writes whose acknowledgements only a fold of the log gives; returns those that it does not give.
    private static func write(_ bench: StoredLoop) -> [String] {
        var wrong: [String] = []
        func ask(_ line: String, _ isRight: (String) -> Bool) {
            let answer = bench.loop.ask(line, from: "a").last ?? ""
            let isRefused = ["internal", "busy"].contains(answer.text("code") ?? "")
            if !isRefused, !isRight(answer) { wrong.append("\(line): \(answer)") }
        }
        for number in stride(from: 0, to: users, by: 3) {
            ask(user(number)) { $0.text("code") == "exists" }
            ask(user(number, id: "")) { $0.text("code") == "exists" }
        }
        for number in stride(from: 0, to: streams, by: 2) {
            ask(keyed(number)) { $0.number("version") == 1 && $0.contains("repeated") }
            ask(#"APPEND note-\#(number) {"type":"T","data":1}"#) { $0.number("version") == 3 }
        }
        return wrong
    }

    @Test func `whichever page is replaced by another one, no write rests on it, and all is whole again`() throws {
        let folder = try Self.original()
        let bytes = RawFile.read(folder.store + "/models/data.mdb")
        var pages: [UInt8: [Int]] = [:]
        for page in 2..<bytes.count / Self.pageSize {
            pages[bytes[page * Self.pageSize + 10], default: []].append(page)
        }
        var met = 0
        for kind in [1, 2] as [UInt8] {
            let alike = pages[kind] ?? []
            for (index, page) in alike.enumerated() {
                let other = alike[(index + 1) % alike.count]
                met += try Self.replace(page, by: other, bytes, folder.store) ? 1 : 0
            }
        }
        expect(met > 3, "\(met) pages were met by a write")
    }

    /// Replaces a page of a copy after its use; true where a write met it.
    private static func replace(_ page: Int, by other: Int, _ bytes: [UInt8], _ store: String) throws -> Bool {
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(atPath: store, toPath: copy.store)
        let bench = try used(copy.store)
        // The number of a page is its first eight bytes.
        for offset in 8..<pageSize {
            let new = bytes[other * pageSize + offset]
            guard bytes[page * pageSize + offset] != new else { continue }
            RawFile.patch(copy.store + "/models/data.mdb", at: page * pageSize + offset, new)
        }
        let wrong = write(bench)
        expect(wrong.isEmpty, "page \(page) as \(other): \(wrong.prefix(3))")
        let isMet = bench.store.models.damage != nil
        bench.settle()
        if bench.settled("VERIFY").last?.hasPrefix("+") != true { bench.settle() }
        let name = "page \(page) as \(other): \(bench.loop.trace)"
        expect(bench.loop.server.stopReason == nil && bench.store.models.damage == nil, "\(name)")
        let repaired = write(bench).filter { !$0.contains(#""version":4"#) }
        expect(repaired.isEmpty, "\(name): \(repaired.prefix(3))")
        expect(bench.settled("VERIFY").last?.hasPrefix("+") == true, "\(name)")
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true, "\(name)")
        bench.stop()
        let report = try DirectoryBench.replay(copy.store)
        expect(report.isAlike, "\(name): \(report.models.compactMap(\.difference))")
        return isMet
    }
    /// A word in rows of users and of a declared model.
    private static let word = Array("User".utf8)

    /// Opens a store and declares a model whose rows have the word.
    private static func declared(_ path: String) throws -> StoredLoop {
        let bench = try used(path)
        for number in 0..<30 {
            bench.loop.receive(#"APPEND word-\#(number) {"type":"W","data":{"word":"User"}}"# + "\n", from: "a")
        }
        _ = bench.settled(#"DEFINE words "from word; key event.id; word: text; on W { word = data.word }""#)
        expect(bench.settled("CHECKPOINT").last?.hasPrefix("+") == true)
        return bench
    }

    /// Changes the word in each row of a kind, in the file.
    private static func damage(_ kind: String, in folder: TemporaryFolder) {
        let path = folder.store + (kind == "users" ? "/models/data.mdb" : "/own/words.1/data.mdb")
        let bytes = RawFile.read(path)
        for place in bytes.indices.dropLast(4) where bytes[place..<place + 4].elementsEqual(word) {
            RawFile.patch(path, at: place, UInt8(ascii: "L"))
        }
    }

    @Test(arguments: ["users", "words"])
    func `VERIFY names a page that changed after its use, and the models are made again`(_ kind: String) throws {
        let folder = try Self.original()
        let bench = try Self.declared(folder.store)
        func rows() -> [String] { Array(bench.loop.ask("LIST \(kind) limit=1000", from: "a").dropLast()) }
        let before = rows()
        expect(before.count >= 30)
        Self.damage(kind, in: folder)
        let verdict = try require(bench.settled("VERIFY").last)
        expect(verdict.text("code") == "internal" && verdict.contains("page"), "\(verdict)")
        bench.settle()
        expect(bench.pass { rows() == before }, "\(bench.loop.trace)")
        expect(bench.settled("VERIFY").last?.hasPrefix("+") == true)
        expect(bench.loop.server.stopReason == nil)
        bench.stop()
    }

    @Test(arguments: ["users", "words"])
    func `the scrub meets a page that changed after its use, and tells when it came round`(
        _ kind: String
    ) throws {
        let folder = try Self.original()
        let bench = try Self.declared(folder.store)
        func rows() -> [String] { Array(bench.loop.ask("LIST \(kind) limit=1000", from: "a").dropLast()) }
        let before = rows()
        expect(before.count >= 30 && before.allSatisfy { $0.contains(#""User""#) })
        let count = bench.scrubs.count
        expect(bench.pass { bench.scrubs.count > count }, "\(bench.scrubs)")
        bench.loop.clock.pass(nanoseconds: 7_000_000_000)
        expect(bench.scrubs.age == 7)
        Self.damage(kind, in: folder)
        expect(rows().contains { $0.contains(#""Lser""#) }, "the pages were compared before")
        let again = kind == "users" ? "rebuilt position" : "model-damaged"
        expect(bench.pass { bench.loop.said(again) > 0 && rows() == before }, "\(bench.loop.trace)")
        expect(bench.loop.said(again) == 1 && bench.store.models.damage == nil)
        let whole = bench.scrubs.count
        expect(bench.pass { bench.scrubs.count > whole } && bench.scrubs.age == 0, "\(bench.scrubs)")
        expect(bench.settled("VERIFY").last?.hasPrefix("+") == true)
        expect(bench.loop.server.stopReason == nil)
        bench.stop()
        let report = try DirectoryBench.replay(folder.store)
        expect(report.isAlike, "\(report.models.compactMap(\.difference))")
    }
}
