import StoryCore
import TestSupport
import Testing

@testable import StoryClient

@Suite struct CallTableTests {
    /// A table with requests of these numbers, of which so many may be on the wire.
    private func table(_ ids: [UInt64], limit: Int = 2) -> CallTable {
        var table = CallTable()
        table.limit = limit
        for id in ids { table.add(id, RequestLine(.get, "users/\(id)")) }
        return table
    }

    private func line(_ text: String) throws -> ReplyLine { try require(ReplyLine(Array(text.utf8))) }

    private func sent(_ table: inout CallTable) -> String { String(decoding: table.takeSendable(), as: UTF8.self) }

    @Test func `so many as the limit says are sent, in their order, and the next when one is replied to`() throws {
        var table = table([1, 2, 3])
        expect(sent(&table) == "@1 GET users/1\n@2 GET users/2\n")
        expect(sent(&table) == "")
        expect(try table.take(line("=@1 {}")) == .nothing)
        let reply = StoreReply(rows: [try line("=@1 {}")], final: try line("+@1 {}"))
        expect(try table.take(line("+@1 {}")) == .replied(1, reply))
        expect(sent(&table) == "@3 GET users/3\n")
        expect((table.count, table.sent.count) == (2, 2))
    }

    @Test func `what is lost is sent again first and in its order, without the rows that had come`() throws {
        var table = table([1, 2, 3])
        _ = sent(&table)
        _ = try table.take(line("=@1 {}"))
        expect(table.lostConnection() == [])
        expect(sent(&table) == "@1 GET users/1\n@2 GET users/2\n")
        let reply = StoreReply(rows: [], final: try line("+@1 {}"))
        expect(try table.take(line("+@1 {}")) == .replied(1, reply))
        expect(sent(&table) == "@3 GET users/3\n")
    }

    @Test func `one that is cancelled while it waits is not sent, and while it is sent keeps its place`() throws {
        var table = table([1, 2, 3, 4])
        _ = sent(&table)
        expect(table.cancel(1) && table.cancel(3))
        expect(!table.cancel(1) && !table.cancel(3) && !table.cancel(99))
        expect(sent(&table) == "")
        expect(try table.take(line("+@1 {}")) == .nothing)
        expect(sent(&table) == "@4 GET users/4\n")
    }

    @Test func `one that is cancelled is not sent again, nor is one that must not be`() {
        var table = table([1, 2])
        table.add(3, RequestLine(.backup, "/x"))
        table.limit = 3
        _ = sent(&table)
        _ = table.cancel(1)
        expect(table.lostConnection() == [3])
        expect(sent(&table) == "@2 GET users/2\n")
        expect(table.count == 1)
    }

    @Test func `a line that belongs to nothing is unexpected, one without a tag only if it is a failure`() throws {
        var table = table([5, 4])
        expect(try table.take(line("-@5 {}")) == .unexpected)
        _ = sent(&table)
        expect(try table.take(line("+ {}")) == .unexpected)
        expect(try table.take(line(">1 {}")) == .nothing)
        expect(try table.take(line("* {}")) == .nothing)
        let failure = StoreReply(rows: [], final: try line("- {}"))
        // The oldest on the wire, whatever its number.
        expect(try table.take(line("- {}")) == .replied(5, failure))
        expect(table.removeAll() == [4])
        expect(try table.take(line("-@4 {}")) == .unexpected)
    }

    @Test func `what was ever on the wire may have been carried out, what was not is known not to be`() {
        var table = table([1, 2, 3])
        expect(!table.wasSent(1))
        _ = sent(&table)
        expect(table.wasSent(1) && table.wasSent(2) && !table.wasSent(3))
        _ = table.lostConnection()
        expect(table.wasSent(1) && !table.wasSent(3))
        // It had a reply, and waits to be sent again.
        expect(!table.wasSent(99))
    }

    @Test func `those that gave up while nothing could be sent take no room`() throws {
        var table = table([1], limit: 1)
        _ = sent(&table)
        table.add(2, RequestLine(.get, "users/2"))
        for id in 10..<20_000 as Range<UInt64> {
            table.add(id, RequestLine(.get, "users/x"))
            _ = table.cancel(id)
        }
        expect(table.waiting.count < 3_000)
        _ = try table.take(line("+@1 {}"))
        expect(sent(&table) == "@2 GET users/2\n")
        _ = try table.take(line("+@2 {}"))
        expect(sent(&table) == "")
        expect(table.waiting.count == 0)
    }

    @Test func `the queue keeps its order however much passes through`() {
        var queue = ReadyQueue<Int>()
        var taken: [Int] = []
        for number in 0..<5_000 {
            queue.append(number)
            if number % 3 > 0, let first = queue.popFirst() { taken.append(first) }
        }
        queue.keep { $0 != 4_999 }
        queue.append(4_999)
        queue.prepend([-2, -1])
        expect(queue.popFirst() == -2 && queue.popFirst() == -1)
        while let first = queue.popFirst() { taken.append(first) }
        expect(taken == Array(0..<5_000) && queue.count == 0)
    }

    @Test func `pauses grow up to the longest and are never alike`() {
        let policy = RetryPolicy(firstDelay: .milliseconds(10), maxDelay: .milliseconds(100))
        expect(policy.delay(before: 0) == .zero)
        for (attempt, longest) in [(1, 10), (2, 20), (3, 40), (5, 100), (1_000_000, 100)] {
            let delays = (0..<50).map { _ in policy.delay(before: attempt) }
            expect(delays.allSatisfy { .milliseconds(longest) / 2 <= $0 && $0 <= .milliseconds(longest) })
            expect(Set(delays).count > 1)
        }
    }
}
