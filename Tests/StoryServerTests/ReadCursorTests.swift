import StoryCore
import StoryEngine
@testable import StoryServer
import StoryLog
import StoryModels
import TestSupport
import Testing

@Suite struct ReadCursorTests {
    private typealias Source = (plan: ReadPlan.Source, plain: EventSelection.Source)

    private let bench = MemoryBench()

    private func source(_ random: inout SplitMix64) throws -> Source {
        switch Int.random(in: 0...3, using: &random) {
        case 0: return (.all, .all)
        case 1, 2:
            let name = random.pick("note-1", "note-2", "task-1", "notes-1").stream
            return (.stream(try #require(StreamsModel.number(of: name, in: bench.store))), .stream(name))
        default:
            let name = random.pick("note", "task", "notes").category
            return (.category(try #require(StreamsModel.number(of: name, in: bench.store))), .category(name))
        }
    }

    private func plan(_ source: ReadPlan.Source, _ random: inout SplitMix64) -> ReadPlan {
        let types = random.oneIn(2) ? [] : [random.pick("Wrote", "Read").type, "Done".type]
        return ReadPlan(
            source: source, lower: .random(in: 0...150, using: &random), upper: .random(in: 0...400, using: &random),
            order: random.pick(.ascending, .descending), limit: .random(in: 1...400, using: &random), types: types,
            head: bench.log.head)
    }

    /// The answer as a loop over a list gives it.
    private func plain(_ plan: ReadPlan, _ source: EventSelection.Source) -> (text: String, end: ReadCursor.Progress) {
        let all = bench.plain(source).filter { $0.number >= plan.lower && $0.number <= plan.upper }
        var lines: [String] = []
        for (number, event) in plan.order == .ascending ? all : all.reversed() {
            if lines.count == plan.limit { return (lines.joined(), .finished(count: lines.count, next: number)) }
            if plan.types.isEmpty || plan.types.contains(event.typeName) { lines.append("=@t \(event.text)\n") }
        }
        return (lines.joined(), .finished(count: lines.count, next: nil))
    }

    @Test(arguments: [1, 400, 3_000, 1_000_000])
    func `an answer in many goes is the plain answer, whatever is read`(size: Int) throws {
        var random = SplitMix64(seed: UInt64(size))
        try bench.append(300, &random)
        for _ in 0..<100 {
            let source = try source(&random)
            let plan = plan(source.plan, &random)
            let expected = plain(plan, source.plain)
            let (text, end, goes) = try read(plan, size)
            #expect(text == expected.text, "\(plan)")
            #expect(end == expected.end, "\(plan)")
            if case .finished(let count, _) = end, size == 1 { #expect(goes >= count) }
        }
    }

    private func read(_ plan: ReadPlan, _ size: Int) throws -> (text: String, end: ReadCursor.Progress, goes: Int) {
        var cursor = ReadCursor(plan, tag: Tag("t".bytes))
        var text = ""
        var goes = 0
        while true {
            goes += 1
            var output: [UInt8] = []
            let progress = try cursor.go(&output, until: size, log: bench.log, store: bench.store)
            text += String(decoding: output, as: UTF8.self)
            #expect(progress != .full || !output.isEmpty, "a go that sends nothing goes on for ever")
            if progress != .full { return (text, progress, goes) }
        }
    }

    @Test func `where there is nothing to read the answer is empty`() throws {
        let plan = ReadPlan(
            source: .nothing, lower: 1, upper: 9, order: .ascending, limit: 5, types: [], head: .zero)
        #expect(try read(plan, 1).end == .finished(count: 0, next: nil))
    }

    @Test func `no room at all sends nothing and loses nothing`() throws {
        var random = SplitMix64(seed: 1)
        try bench.append(3, &random)
        let plan = ReadPlan(
            source: .all, lower: 1, upper: 3, order: .ascending, limit: 9, types: [], head: bench.log.head)
        var cursor = ReadCursor(plan, tag: nil)
        var output = Array("waits".utf8)
        #expect(try cursor.go(&output, until: 5, log: bench.log, store: bench.store) == .full)
        #expect(output == Array("waits".utf8))
        #expect(
            try cursor.go(&output, until: .max, log: bench.log, store: bench.store) == .finished(count: 3, next: nil))
    }
}
