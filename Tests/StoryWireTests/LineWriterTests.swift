import StoryCore
import TestSupport
import Testing

@testable import StoryWire

struct LineWriterTests {
    private let lines = LineWriter(.standard)

    @Test func `what is written is charged, and not what others wrote before`() throws {
        var output = ByteWriter()
        output.literal("the reply of another request")
        lines.budget = 2 * .record
        try lines.write(to: &output, until: .max) { () throws(StorageError) in
            let before = lines.count
            lines.push(.caughtUp(Position(7)), to: SubscriptionID(1))
            expect(lines.workLeft == 2 * .record - .written(lines.count - before))
            lines.spend(.record)
        }
        let written = ">1 {\"caughtUp\":7}\n".utf8.count
        expect(lines.workLeft == .record - .written(written))
        try lines.write(to: &output, until: .max) { () throws(StorageError) in
            expect(lines.workLeft == .record - .written(written))
            lines.spend(.record)
        }
        expect(lines.isSpent)
    }
}
