import StoryCore
import StoryStorage
import Testing
import TestSupport

@testable import StoryLog

struct LogViewTests {
    private func positions(_ view: LogView, _ from: UInt64, _ through: UInt64) throws -> [Position] {
        var seen: [Position] = []
        try view.scan(from: Position(from), through: Position(through)) { position, record in
            if (try? record.event(at: position))?.position == position { seen.append(position) }
            return true
        }
        return seen
    }

    @Test func `a view sees what is flushed, what only the journal holds, and both in one scan`() throws {
        let bench = try LogBench()
        try bench.log.extend(by: 5)
        try bench.log.flush()
        try bench.log.extend(by: 4)
        expect(bench.log.flushed == Position(5))
        let view = try LogView(bench.log)
        for (from, through) in [(1, 9), (1, 5), (4, 7), (6, 9), (9, 9)] as [(UInt64, UInt64)] {
            expect(try positions(view, from, through) == (from...through).map { Position($0) })
        }
        // What is flushed later lies where it lay for this view.
        try bench.log.flush()
        expect(try positions(view, 1, 9).count == 9)
        view.close()
    }
}
