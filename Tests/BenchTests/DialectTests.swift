import TestSupport
import Testing

@testable import storebench

/// What the generator hears must not depend on where the pieces end that came from the socket.
@Suite struct DialectTests {
    private static let replies =
        "+ {\"subscription\":1,\"position\":7}\n>1 {\"position\":7,\"stream\":\"bench-1\",\"x\":\"caughtUp\"}\n"
        + ">1 {\"caughtUp\":7}\n= {\"id\":\"s\"}\n+ {}\n- {\"code\":\"busy\"}\n>1 {\"behind\":9}\n"

    @Test func `Storykeep's lines are told apart wherever they are cut`() {
        let bytes = Array(DialectTests.replies.utf8)
        for first in 0...bytes.count {
            for second in stride(from: first, through: bytes.count, by: 3) {
                let heard = hear(StoreDialect(), [bytes[..<first], bytes[first..<second], bytes[second...]])
                expect(heard.answers == 3 && heard.failures == 1 && heard.events == 2, "cut at \(first), \(second)")
            }
        }
    }

    @Test func `Pushes name their streams wherever they are cut`() {
        let bytes = Array(
            "+ {\"subscription\":1}\n>1 {\"caughtUp\":7}\n>3 {\"position\":9,\"stream\":\"x\"}\n>1 {\"position\":10}\n"
                .utf8)
        for cut in 0...bytes.count {
            let dialect = PushDialect(first: 20, count: 5)
            let heard = hear(dialect, [bytes[..<cut], bytes[cut...]])
            expect(heard.answers == 1 && heard.events == 2)
            expect(dialect.taken() == [22, 20])
            expect(dialect.taken().isEmpty)
        }
    }

    @Test func `The last reply is kept as text wherever it is cut, without the rows before it`() {
        let bytes = Array("= {\"node\":\"n1\"}\n+ {\"leader\":\"n2\",\"term\":57}\n- {\"code\":\"busy\"}\n".utf8)
        for cut in 0...bytes.count {
            let dialect = TextDialect()
            let heard = hear(dialect, [bytes[..<cut], bytes[cut...]])
            expect(heard.answers == 2 && heard.failures == 1)
            expect(dialect.reply == "- {\"code\":\"busy\"}", "cut at \(cut)")
        }
    }

    @Test func `Numbers and texts of a line are found by the words before them`() {
        let line = "+ {\"leader\":\"n2\",\"commits\":{\"count\":57},\"term\":3}"
        expect(Member.text("\"leader\":", of: line) == "n2")
        expect(Member.number("\"commits\":{\"count\":", of: line) == 57)
        expect(Member.number("\"position\":", of: line) == nil)
        expect(Member.text("\"term\":", of: line) == nil)
    }

    @Test func `Redis's pages are counted wherever they are cut`() {
        let event = { (id: String) in "*2\r\n$3\r\n\(id)\r\n*2\r\n$1\r\ne\r\n$4\r\n{ab}\r\n" }
        let bytes = Array("*2\r\n\(event("1-1"))\(event("1-2"))-ERR no\r\n".utf8)
        for cut in 0...bytes.count {
            let dialect = RedisDialect()
            let heard = hear(dialect, [bytes[..<cut], bytes[cut...]])
            expect(heard.answers == 2 && heard.failures == 1 && heard.events == 2, "cut at \(cut)")
            expect(dialect.lastIdentifier == Array("1-2".utf8))
        }
    }

    @Test(arguments: [100, 1_024, 102_400, 1_048_576])
    func `An event has the size that is asked for, or the line its limit`(size: Int) {
        let line = EventSizes.request(size, within: 1_048_576)
        let event = line.count - "APPEND bench-0 ".utf8.count - 1
        expect(event == min(size, 1_048_576 - "APPEND bench-0 ".utf8.count - 1))
        expect(line.count <= 1_048_576)
    }

    private func hear(_ dialect: some Dialect, _ pieces: [ArraySlice<UInt8>]) -> Heard {
        var heard = Heard()
        for piece in pieces where !piece.isEmpty { piece.withUnsafeBytes { dialect.hear($0, &heard) } }
        return heard
    }
}
