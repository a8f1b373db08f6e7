import TestSupport
import Testing

@testable import StoryWire

struct LineFramerTests {
    @Test func `lines come out as they went in, byte by byte`() {
        var framer = LineFramer(limit: 100)
        var lines: [String] = []
        for byte in Array("PING\n\nGET stories/1\nrest".utf8) {
            [byte].withUnsafeBytes { framer.append($0) }
            framer.drain(into: &lines)
        }
        expect(lines == ["PING", "", "GET stories/1"])
        let (count, hasLine) = (framer.bufferedCount, framer.hasLine)
        expect(count == 4)
        expect(!hasLine)
    }

    @Test func `another stream begins as if nothing had come, and without storage`() {
        var framer = LineFramer(limit: 10)
        Array("a line that is too long".utf8).withUnsafeBytes { framer.append($0) }
        let (isTooLong, opening) = (framer.hasLine, framer.opening)
        expect(isTooLong && !opening.isEmpty)
        framer.restart()
        let (count, hasLine, left) = (framer.storageCount, framer.hasLine, framer.opening)
        expect(count == 0 && !hasLine && left.isEmpty)
        Array("PING\n".utf8).withUnsafeBytes { framer.append($0) }
        var lines: [String] = []
        framer.drain(into: &lines)
        expect(lines == ["PING"])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `random chunks give the same lines as splitting the whole`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let text = (0..<20_000).map { _ in
            UInt8.random(in: 0...255, using: &random) % 64 == 0 ? 0x0A : UInt8.random(in: 32...126, using: &random)
        }
        var framer = LineFramer(limit: 20_000)
        var lines: [String] = []
        var index = 0
        while index < text.count {
            let end = min(text.count, index + Int.random(in: 1...3_000, using: &random))
            Array(text[index..<end]).withUnsafeBytes { framer.append($0) }
            // Sometimes several reads come before anybody looks.
            if Bool.random(using: &random) { framer.drain(into: &lines) }
            index = end
        }
        framer.drain(into: &lines)
        let parts = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        expect(lines == parts.dropLast().map { String(decoding: $0, as: UTF8.self) })
        let count = framer.bufferedCount
        expect(count == parts.last?.count)
    }

    @Test func `a line of the limit is taken and one byte more is refused`() {
        var framer = LineFramer(limit: 10)
        var lines: [String] = []
        framer.append("0123456789\n")
        framer.drain(into: &lines)
        expect(lines == ["0123456789"])
        framer.append("0123456789x\n")
        let hasLine = framer.hasLine
        expect(hasLine)
        framer.expectRefusal()
        framer.expectRefusal()
    }

    @Test func `a line over the limit is refused before its end comes, and nothing more is kept`() {
        var framer = LineFramer(limit: 10)
        framer.append("PING\n01234567890")
        var lines: [String] = []
        framer.drain(into: &lines)
        expect(lines == ["PING"])
        framer.expectRefusal()
        let before = framer.storageCount
        for _ in 0..<1_000 { framer.append(String(repeating: "x", count: 10_000)) }
        let (after, count) = (framer.storageCount, framer.bufferedCount)
        expect(after == before)
        expect(count == 0)
    }

    @Test func `behind each line there are bytes that may be read`() {
        var framer = LineFramer(limit: 1_000_000)
        framer.append(String(repeating: "x", count: LineFramer.idleCapacity - 1) + "\n")
        guard case .line(let line) = framer.next(), let start = line.baseAddress else {
            Issue.record("there is a line")
            return
        }
        let behind = UnsafeRawBufferPointer(start: start + line.count, count: LineFramer.slack)
        expect(behind.count(where: { $0 == 0x0A }) >= 1)
        let storageCount = framer.storageCount
        expect(line.count + LineFramer.slack < storageCount)
    }

    @Test func `storage goes back to little once a long line was taken`() {
        var framer = LineFramer(limit: 1_048_576)
        var lines: [String] = []
        for _ in 0..<16 { framer.append(String(repeating: "x", count: 65_536)) }
        let most = framer.storageCount
        expect((1_048_576...1_048_576 + 2 * LineFramer.idleCapacity).contains(most))
        framer.append("\n")
        framer.drain(into: &lines)
        expect(lines.map(\.utf8.count) == [1_048_576])
        let least = framer.storageCount
        expect(least <= LineFramer.idleCapacity)
        framer.append("PING\n")
        framer.drain(into: &lines)
        expect(lines.last == "PING")
    }

    @Test func `what is forgotten holds no storage, and is no part of the next line`() {
        var framer = LineFramer(limit: 100_000)
        framer.append("PING\nGET users/" + String(repeating: "x", count: 70_000))
        framer.discard()
        let (storageCount, count, hasLine) = (framer.storageCount, framer.bufferedCount, framer.hasLine)
        expect((storageCount, count, hasLine) == (0, 0, false))
        var lines: [String] = []
        framer.append("PI")
        framer.append("NG\n")
        framer.drain(into: &lines)
        expect(lines == ["PING"])
    }
}

extension LineFramerTests {
    @Test func `a line that is put back comes again, also before one that is too long`() {
        for rest in ["", "PING\n", String(repeating: "x", count: 200), String(repeating: "x", count: 200) + "\nPING\n"]
        {
            var framer = LineFramer(limit: 100)
            framer.append("READ events\n" + rest)
            for _ in 1...3 {
                guard case .line(let line) = framer.next() else {
                    Issue.record("it is there")
                    return
                }
                expect(String(decoding: line, as: UTF8.self) == "READ events")
                framer.putBack()
            }
            framer.append("QU")
            framer.append("IT\n")
            guard case .line = framer.next() else {
                Issue.record("it is there")
                return
            }
            let hasLine = framer.hasLine
            if rest.count > 100 { framer.expectRefusal() } else { expect(hasLine) }
        }
    }
}

extension LineFramer {
    mutating func append(_ text: String) { Array(text.utf8).withUnsafeBytes { append($0) } }

    mutating func expectRefusal() {
        guard case .lineTooLong = next() else {
            Issue.record("the line is too long")
            return
        }
    }

    mutating func drain(into lines: inout [String]) {
        while case .line(let line) = next() { lines.append(String(decoding: line, as: UTF8.self)) }
    }
}
