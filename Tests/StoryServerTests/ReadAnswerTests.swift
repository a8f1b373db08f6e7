import StoryCore
@testable import StoryEngine
@testable import StoryServer
import StoryLog
import StoryFold
import StoryWire
import TestSupport
import Testing

@Suite struct ReadAnswerTests {
    private typealias Source = (plan: ReadPlan.Source, plain: EventSelection.Source)

    private let bench = MemoryBench()

    private func source(_ random: inout SplitMix64) throws -> Source {
        switch Int.random(in: 0...3, using: &random) {
        case 0: return (.all, .all)
        case 1, 2:
            let name = random.pick("note-1", "note-2", "task-1", "notes-1").stream
            return (.stream(try require(try bench.index.head(of: name))), .stream(name))
        default:
            let name = random.pick("note", "task", "notes").category
            return (.category(try require(try bench.index.number(of: name))), .category(name))
        }
    }

    private func plan(_ source: Source, _ random: inout SplitMix64) -> ReadPlan {
        let types = random.oneIn(2) ? [] : [random.pick("Wrote", "Read").type, "Done".type]
        return ReadPlan(
            source: source.plan, lower: .random(in: 0...150, using: &random),
            upper: .random(in: 0...400, using: &random),
            order: random.pick(.ascending, .descending), limit: .random(in: 1...400, using: &random),
            selection: EventSelection(source: source.plain, EventQuery(types: types)), head: bench.log.head)
    }

    /// The answer as a loop over a list gives it.
    private func plain(_ plan: ReadPlan, _ source: EventSelection.Source) -> (text: String, end: Done) {
        let all = bench.plain(source).filter {
            $0.number >= plan.lower && $0.number <= plan.upper && $0.event.position <= plan.head
        }
        var lines: [String] = []
        func end(_ next: UInt64?) -> Done { .read(count: lines.count, next: next, position: plan.head) }
        for (number, event) in plan.order == .ascending ? all : all.reversed() {
            if lines.count == plan.limit { return (lines.joined(), end(number)) }
            let types = plan.selection.query.types
            if types.isEmpty || types.contains(event.typeName) { lines.append("=@t \(event.text)\n") }
        }
        return (lines.joined(), end(nil))
    }

    @Test(arguments: [1, 400, 3_000, 1_000_000], [1, 20, 100_000])
    func `an answer in many steps is the plain answer, whatever is read`(size: Int, units: Int) throws {
        var random = SplitMix64(seed: UInt64(size + units))
        try bench.append(300, &random)
        for _ in 0..<50 {
            let source = try source(&random)
            let plan = plan(source, &random)
            let expected = plain(plan, source.plain)
            let (text, end) = try read(plan, size, units)
            expect(text == expected.text, "\(plan)")
            expect(end == expected.end, "\(plan)")
        }
    }

    private func read(_ plan: ReadPlan, _ size: Int, _ units: Int) throws -> (text: String, end: Done) {
        let cursor = ReadAnswer(plan, log: bench.log, index: bench.index)
        let lines = LineWriter(.standard)
        var text = ""
        for _ in 0..<10_000 {
            var output = ByteWriter()
            lines.budget = units * .record
            let step = try lines.write(to: &output, Tag("t".bytes), until: size) { () throws(StorageError) in
                try cursor.step(into: lines)
            }
            text += String(decoding: output.written, as: UTF8.self)
            if case .ended(.done(let done), _) = step { return (text, done) }
            let isFull = output.count >= size
            expect(lines.isSpent || isFull, "a step that does nothing goes on for ever")
        }
        throw Endless()
    }

    private struct Endless: Error {}

    @Test func `where there is nothing to read the answer is empty`() throws {
        let plan = ReadPlan(
            source: .nothing, lower: 1, upper: 9, order: .ascending, limit: 5,
            selection: EventSelection(source: .all), head: .zero)
        expect(try read(plan, 1, 1).end == .read(count: 0, next: nil, position: .zero))
    }

    @Test(arguments: [Order.ascending, .descending])
    func `what is not durable is not read`(order: Order) throws {
        var random = SplitMix64(seed: 2)
        try bench.append(300, &random)
        let stream = try require(try bench.index.head(of: "note-1".stream))
        let source = ReadPlan.Source.stream(stream)
        let plan = ReadPlan(
            source: source, lower: 1, upper: 1_000, order: order, limit: 1_000,
            selection: EventSelection(source: .stream("note-1".stream)), head: Position(120))
        let expected = plain(plan, .stream("note-1".stream))
        let answer = try read(plan, 1_000_000, 100_000)
        expect(answer.text == expected.text)
        expect(answer.end == expected.end)
    }

    @Test func `no room at all sends nothing and loses nothing`() throws {
        var random = SplitMix64(seed: 1)
        try bench.append(3, &random)
        let plan = ReadPlan(
            source: .all, lower: 1, upper: 3, order: .ascending, limit: 9,
            selection: EventSelection(source: .all), head: bench.log.head)
        let cursor = ReadAnswer(plan, log: bench.log, index: bench.index)
        let lines = LineWriter(.standard)
        lines.budget = FairQueue.turn
        var output = ByteWriter()
        output.literal("waits")
        let none = try lines.write(to: &output, nil, until: 5) { () throws(StorageError) in
            try cursor.step(into: lines)
        }
        expect(none == .more)
        expect([UInt8](output.written) == Array("waits".utf8))
        let all = try lines.write(to: &output, nil, until: .max) { () throws(StorageError) in
            try cursor.step(into: lines)
        }
        expect(all == .ended(.done(.read(count: 3, next: nil, position: Position(3))), restsOn: .zero))
    }
}
