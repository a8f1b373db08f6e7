import LoopSupport
import StoryCore
import StoryLog
@testable import StoryServer
import Testing
import TestSupport

/// The next step for a connection, by what it is and holds.
struct NextStepTests {
    private func step(_ change: (inout NextStep.Facts) -> Void) -> NextStep {
        var facts = NextStep.Facts()
        change(&facts)
        return NextStep(facts)
    }

    @Test func `a connection that holds little is read from, whatever else it waits for`() {
        expect(step { _ in }.input == .read)
        expect(step { ($0.isOpen, $0.isAnswering, $0.hasRoom) = (false, true, false) }.input == .read)
    }

    @Test func `the beginning of a long line is read on as soon as lines are taken up`() {
        expect(step { $0.buffered = Reading.much }.input == .readLongLine)
        expect(step { ($0.buffered, $0.hasLine) = (Reading.much, true) }.input == .leave)
        expect(step { ($0.buffered, $0.isOpen) = (Reading.much, false) }.input == .leaveForLong)
        expect(step { ($0.buffered, $0.hasRoom) = (Reading.much, false) }.input == .leaveForLong)
    }

    @Test func `a whole line is taken up by an open connection that has room for the answer`() {
        expect(step { $0.hasLine = true }.takesLine)
        expect(!step { _ in }.takesLine)
        expect(!step { ($0.hasLine, $0.isOpen) = (true, false) }.takesLine)
        expect(!step { ($0.hasLine, $0.hasRoom) = (true, false) }.takesLine)
    }

    @Test func `answers go on while there is room ahead, and subscriptions once their reader took everything`() {
        expect(step { $0.isAnswering = true }.isPublished)
        expect(step { ($0.isAnswering, $0.isTaken) = (true, false) }.isPublished)
        expect(step { $0.isFollowing = true }.isPublished)
        expect(!step { ($0.isFollowing, $0.isTaken) = (true, false) }.isPublished)
        expect(!step { ($0.isAnswering, $0.hasRoomAhead) = (true, false) }.isPublished)
        expect(!step { _ in }.isPublished)
    }

    @Test func `a connection that ends takes nothing up, and is closed once everything left`() {
        let ending = step { ($0.isOpen, $0.isEnding, $0.isFollowing, $0.hasLine) = (false, true, true, true) }
        expect(ending.isClosed && !ending.takesLine && !ending.isPublished)
        expect(!step { ($0.isEnding, $0.isSent) = (true, false) }.isClosed)
        expect(!step { _ in }.isClosed)
    }
}

/// The next steps of the shipped loop.
struct NextStepOfTheLoopTests {
    private static func note(_ size: Int) -> String {
        #"APPEND note-1 {"type":"A","data":""# + String(repeating: "x", count: size) + "\"}"
    }

    /// A store of so many events of two kilobytes.
    private static func filled(_ count: Int, _ limits: Limits = Limits()) -> LoopBench {
        let bench = LoopBench(limits)
        bench.connected("writer", "client")
        for _ in 0..<count { _ = bench.ask(note(2_000), from: "writer") }
        return bench
    }

    /// Each part is delivered once the loop wants it, as a socket would.
    private static func deliver(_ parts: [String], to bench: LoopBench) -> Bool {
        for part in parts {
            guard !bench.isPaused("client") else { return false }
            bench.receive(part, from: "client")
            bench.run()
        }
        return true
    }

    @Test func `a long line that began behind an answer in steps is read on when the answer has ended`() {
        let bench = Self.filled(300)
        let long = Self.note(200_000)
        bench.setTaking("client", false)
        bench.send("READ events", from: "client")
        bench.receive(String(long.prefix(100_000)), from: "client")
        bench.run()
        expect(bench.isPaused("client"), "the answer is not whole, and much is there already")
        bench.setTaking("client", true)
        bench.run()
        expect(bench.hear("client").count == 301)
        expect(Self.deliver([String(long.dropFirst(100_000)) + "\n"], to: bench), "it is left in the socket for good")
        expect(bench.hear("client").first?.number("position") == 301)
    }

    @Test func `a long line that began while the output was full is read on when that was taken`() {
        var limits = Limits()
        limits.output = 10_000
        let bench = Self.filled(1, limits)
        let long = Self.note(200_000)
        bench.setTaking("client", false)
        let lines = String(repeating: "HELP\n", count: 40)
        bench.receive(lines + String(long.prefix(100_000)), from: "client")
        bench.run()
        expect(bench.isPaused("client"))
        bench.setTaking("client", true)
        bench.run()
        _ = bench.hear("client")
        expect(Self.deliver([String(long.dropFirst(100_000)) + "\n"], to: bench), "it is left in the socket for good")
        expect(bench.hear("client").first?.number("position") == 2)
    }

    @Test func `an answer under way that rests on what is undone is refused, and the refusal is sent at once`() {
        let bench = LoopBench()
        bench.connected("writer", "client")
        _ = bench.ask(#"POST users {"id":"u","name":"N","email":"e@x.org","prefecture":1}"#, from: "writer")
        _ = bench.ask(
            #"POST stories {"id":"s","title":"T","message":"M","sender":"u","recipient":"u"}"#, from: "writer")
        for number in 0..<3_000 {
            _ = bench.ask(#"EDIT stories/s {"title":"T\#(number)"}"#, from: "writer")
        }
        bench.makeDiskSlow()
        let durable = bench.log.head.value
        bench.log.commitFailure = .full("no room")
        bench.receive(#"EDIT stories/s {"title":"last"}"# + "\n", from: "writer")
        bench.endTurn()
        bench.receive("@1 GET stories/s at=\(durable)\n", from: "client")
        bench.endTurn()
        expect(bench.hear("client").isEmpty, "it is folded in steps")
        bench.endCommit()
        expect(bench.hear("client").map { $0.text("code") } == ["full"])
    }
}
