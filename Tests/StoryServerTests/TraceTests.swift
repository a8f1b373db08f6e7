import Glibc
import StoryCore
import StoryServer
import StoryStorage
import Synchronization
import TestSupport
import Testing

@Suite struct TraceTests {
    /// What is printed of one happening with one value.
    private func printed(_ value: String) -> String {
        let lines = Mutex<[UInt8]>([])
        let trace = Trace(now: { Instant(milliseconds: 0) }) { line in lines.withLock { $0 += line } }
        trace.say("happened", ["value": value])
        return lines.withLock { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("say \"so\"", #""say \"so\"""#),
        ("a\\b", #""a\\b""#), ("one\ntwo", #""one\ntwo""#), ("cr\rlf", #""cr\u{d}lf""#),
        ("\u{1B}[2Jgone", #""\u{1b}[2Jgone""#), ("nul\0", #""nul\u{0}""#), ("\u{85}\u{9B}31m", #""\u{85}\u{9b}31m""#),
        ("彩花", #""彩花""#), ("a\u{202E}b\u{2066}c", #""a\u{202e}b\u{2066}c""#),
        ("one\u{2028}two\u{2029}", #""one\u{2028}two\u{2029}""#),
    ])
    func `a value is one word of one line, whatever is in it`(value: String, shown: String) {
        expect(printed(value) == "1970-01-01T00:00:00.000Z happened value=\(shown)\n")
    }

    @Test func `a long value is cut`() {
        let line = printed(String(repeating: "x", count: 100_000))
        expect(line.hasSuffix("xxx\"\n"))
        expect(line.count == 200 + "1970-01-01T00:00:00.000Z happened value=\"\"\n".count)
    }

    @Test func `a line that pretends to be another stays one line`() {
        let line = printed("x\n2026-01-01T00:00:00.000Z ready socket=/evil")
        expect(line.split(separator: "\n").count == 1)
    }
}

/// The queue in front of a reader that may not read.
@Suite struct TraceQueueTests {
    /// A reader that takes lines while it is let, and what it took.
    private final class Reader: Sendable {
        let isStuck = Mutex(true)
        let taken = Mutex<[UInt8]>([])

        func take(_ bytes: [UInt8]) {
            while isStuck.withLock({ $0 }) { usleep(1_000) }
            taken.withLock { $0 += bytes }
        }

        var lines: [String] {
            taken.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
        }
    }

    @Test func `nobody waits for a reader that takes nothing, and it is told how much it missed`() throws {
        let reader = Reader()
        let queue = TraceQueue(limit: 5_000, now: { Instant(milliseconds: 0) }) { reader.take($0) }
        let trace = Trace(now: { Instant(milliseconds: 0) }, to: queue)
        for number in 0..<10_000 { trace.say("line", ["number": "\(number)"]) }
        expect(reader.lines == [])
        reader.isStuck.withLock { $0 = false }
        var kept: [String] = []
        try until("each line is written, or counted among the dropped ones") {
            kept = reader.lines.filter { !$0.contains("trace-dropped") }
            let dropped = reader.lines.compactMap {
                $0.split(separator: "lines=").dropFirst().first.flatMap { Int($0) }
            }
            return kept.count + dropped.reduce(0, +) == 10_000
        }
        expect(kept.count < 1_000 && kept.first?.hasSuffix("line number=0") == true)
        trace.say("again")
        trace.flush()
        expect(reader.lines.last == "1970-01-01T00:00:00.000Z again")
    }

    @Test func `a trace without the queue stands still before a reader that takes nothing`() throws {
        let reader = Reader()
        let trace = Trace(now: { Instant(milliseconds: 0) }) { reader.take($0) }
        let written = Mutex(0)
        let writer = Background {
            for number in 0..<100 {
                trace.say("line", ["number": "\(number)"])
                written.withLock { $0 += 1 }
            }
        }
        usleep(100_000)
        expect(written.withLock { $0 } == 0)
        reader.isStuck.withLock { $0 = false }
        try writer.join()
        expect(reader.lines.count == 100)
    }

    @Test func `lines that found no thread are written with the next second`() throws {
        let reader = Reader()
        let hasThreads = Mutex(false)
        reader.isStuck.withLock { $0 = false }
        let background = BackgroundStarter { body in hasThreads.withLock { $0 } && BackgroundThread.start(body) }
        let queue = TraceQueue(now: { Instant(milliseconds: 0) }, on: background) { reader.take($0) }
        let trace = Trace(now: { Instant(milliseconds: 0) }, to: queue)
        trace.say("one")
        expect(reader.lines == [])
        hasThreads.withLock { $0 = true }
        trace.secondPassed()
        try until("it is written") { reader.lines.count == 1 }
    }

    @Test func `without a thread lines are written as far as nobody waits, and lines that wait are a condition`() {
        let written = Mutex<[UInt8]>([])
        let room = Mutex(10_000)
        let queue = TraceQueue(
            now: { Instant(milliseconds: 0) }, on: BackgroundStarter { _ in false },
            writeReady: { bytes in
                let count = min(bytes.count, room.withLock { $0 })
                written.withLock { $0 += bytes.prefix(count) }
                return count
            },
            write: { _ in })
        let trace = Trace(now: { Instant(milliseconds: 0) }, to: queue)
        trace.say("ready")
        expect(written.withLock { String(decoding: $0, as: UTF8.self) } == "1970-01-01T00:00:00.000Z ready\n")
        room.withLock { $0 = 0 }
        trace.say("more")
        for _ in 1...7 { trace.secondPassed() }
        expect(trace.isStuck)
        room.withLock { $0 = 10_000 }
        trace.secondPassed()
        trace.secondPassed()
        expect(!trace.isStuck && written.withLock { $0.count } == 61)
    }

    @Test func `what clients cause as often as they like is a line a second, with a count`() {
        let lines = Mutex<[String]>([])
        let trace = Trace(now: { Instant(milliseconds: 0) }) { line in
            lines.withLock { $0.append(String(decoding: line.dropFirst(25).dropLast(), as: UTF8.self)) }
        }
        for uid in 1...1_000 { trace.sayEachSecond("denied", ["uid": "\(uid)"]) }
        trace.sayEachSecond("full", ["reason": "quota"])
        expect(lines.withLock { $0 } == ["denied uid=1", "full reason=quota"])
        trace.secondPassed()
        trace.sayEachSecond("denied", ["uid": "7"])
        trace.secondPassed()
        expect(
            lines.withLock { Array($0.dropFirst(2)) } == ["denied uid=1000 count=999", "denied uid=7 count=1"])
        trace.secondPassed()
        trace.sayEachSecond("denied", ["uid": "8"])
        expect(lines.withLock { $0.last } == "denied uid=8")
    }
}
