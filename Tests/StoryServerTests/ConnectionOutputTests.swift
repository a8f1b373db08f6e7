import StoryCore
@testable import StoryServer
import StoryWire
import Testing
import TestSupport

/// Replies in their order, each held back until what it rests on is durable.
struct ConnectionOutputTests {
    private let durable = Position(3)

    private func output(_ replies: (line: String, restsOn: UInt64)...) -> ConnectionOutput {
        var output = ConnectionOutput()
        for reply in replies {
            output.bytes.write(reply.line + "\n")
            output.close(restsOn: Position(reply.restsOn), durable: durable)
        }
        return output
    }

    /// Takes what can leave.
    private func take(_ output: inout ConnectionOutput, _ durable: UInt64) -> String {
        let count = output.release(through: Position(durable))
        defer { output.sent(count, keepingCapacity: true) }
        return String(decoding: output.bytes.written[..<count], as: UTF8.self)
    }

    @Test func `what rests on what is durable leaves at once`() {
        var output = output(("+ a", 0), ("+ b", 3))
        let isWaiting = output.isWaiting
        expect(!isWaiting)
        expect(take(&output, 3) == "+ a\n+ b\n")
        let isEmpty = output.isEmpty
        expect(isEmpty)
    }

    @Test func `what follows a reply that waits waits with it`() {
        var output = output(("+ a", 0), ("+ b", 5), ("+ c", 0), ("+ d", 4), ("+ e", 6))
        expect(take(&output, 3) == "+ a\n")
        expect(take(&output, 4) == "")
        expect(take(&output, 5) == "+ b\n+ c\n+ d\n")
        output.bytes.write("+ f\n")
        output.close(restsOn: .zero, durable: Position(5))
        expect(take(&output, 5) == "")
        expect(take(&output, 6) == "+ e\n+ f\n")
        let isDone = output.isEmpty && !output.isWaiting
        expect(isDone)
    }

    @Test func `undone replies become one refusal each, with their tags; the others stay byte for byte`() {
        var output = output(
            ("+ free", 0), (#"+@a {"position":4}"#, 4), (#"- {"code":"conflict"}"#, 4), (">1 {}", 0),
            ("=@b {\"x\":\"+\"}\n=@b {}\n+@b {}", 5), ("-@c {}", 0), ("+@d {}", 5))
        output.rollBack(to: durable) { tag, restsOn, bytes in
            bytes.write("-\(tag.map { "@\($0)" } ?? "") \(restsOn.value)\n")
        }
        expect(take(&output, 3) == "+ free\n-@a 4\n- 4\n>1 {}\n-@b 5\n-@c {}\n-@d 5\n")
        let isDone = output.isEmpty && !output.isWaiting
        expect(isDone)
    }

    @Test func `pushes behind an undone reply stay`() {
        var output = output((#">3 {"again":4}"#, 4), ("+ b", 4), (#">4 {"end":"undefined","resume":2}"#, 2))
        expect(take(&output, 3) == "")
        output.rollBack(to: durable) { _, _, bytes in bytes.write("- full\n") }
        expect(
            take(&output, 3) == #">3 {"again":4}"# + "\n- full\n" + #">4 {"end":"undefined","resume":2}"# + "\n")
    }

    @Test func `an answer that is half written stays, or is dropped as a whole`() {
        var output = output(("+ a", 5))
        output.bytes.write("= half\n")
        expect(take(&output, 3) == "")
        output.rollBack(to: durable) { _, _, bytes in bytes.write("- full\n") }
        expect(String(decoding: output.bytes.written, as: UTF8.self) == "- full\n= half\n")
        output.dropUnfinished()
        expect(take(&output, 3) == "- full\n")
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ text: String) { Array(text.utf8).withUnsafeBytes { raw($0) } }
}

/// Why writes are refused, and for how long.
struct WriteRefusalsTests {
    @Test func `a full disk is left alone for a second`() {
        var refusals = WriteRefusals()
        expect(refusals.failure == nil)
        refusals.isFull(Failure(.full, "no room"), at: 7)
        refusals.ticked(16)
        expect(refusals.failure?.code == .full)
        refusals.ticked(17)
        expect(refusals.failure == nil)
    }

    @Test func `memory that is used up refuses until it is not`() {
        var refusals = WriteRefusals()
        refusals.isMemoryFull = true
        refusals.ticked(1_000)
        expect(refusals.failure?.code == .busy)
        refusals.isFull(Failure(.full, "no room"), at: 1_000)
        expect(refusals.failure?.code == .full)
        refusals.isMemoryFull = false
        refusals.ticked(1_010)
        expect(refusals.failure == nil)
    }
}
