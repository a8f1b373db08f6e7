import StoryCore
import StoryWire
import TestSupport

/// Bytes of a connection: cut in any pieces they give the same lines, and the same requests and refusals.
///
/// `limit of a line 2 · seed of the pieces 2 · how often 1 · what the socket gives`.
final class FramingTarget: FuzzTarget {
    private let reader = RequestReader(lineLimit: 1_024, .standard)
    /// What stands behind lines, all together: it can be read, and so it is.
    private var touched: UInt64 = 0

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let limit = input.short() % 1_024 + 1
        let random = input.random()
        let often = input.byte()
        checkLines(input.rest, limit, random)
        if often > 251 {
            // As much as makes the framer move what it holds, and give memory back.
            var long: [UInt8] = []
            for _ in 0..<often where long.count < 100_000 { long.append(contentsOf: input.rest) }
            long.prefix(100_000).withUnsafeBytes { checkLines($0, limit, random) }
        }
        var whole = SplitMix64(seed: 0)
        var pieces = random
        // What a refusal tells of a line that is too long are its first 64 bytes, which are there when the limit is passed.
        let longer = max(limit, 64)
        let expected = talk(input.rest, longer, largest: input.rest.count, &whole, puttingBack: false)
        let found = talk(input.rest, longer, largest: 40, &pieces, puttingBack: true)
        hold(expected == found, "pieces of a talk give \(found), not \(expected)")
    }

    private func checkLines(_ text: UnsafeRawBufferPointer, _ limit: Int, _ seed: SplitMix64) {
        let plain = PlainLines(text, limit: limit)
        var framer = LineFramer(limit: limit)
        var (random, next, rest) = (seed, 0, text)
        let largest = text.count < 1_000 ? 40 : text.count / 8
        while !rest.isEmpty {
            let count = Int.random(in: 1...largest, using: &random)
            let piece = ExactCopy(rest.prefix(count))
            framer.append(piece.whole)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            // Sometimes several reads come before anybody looks.
            if rest.isEmpty || random.oneIn(3) { take(&framer, text, plain, &next) }
        }
        hold(next == plain.lines.count, "all whole lines come")
        hold(framer.hasLine == plain.isTooLong, "a line that is too long is noticed")
        hold(plain.isTooLong || framer.bufferedCount == plain.rest, "what is no whole line is kept")
    }

    private func take(
        _ framer: inout LineFramer, _ text: UnsafeRawBufferPointer, _ plain: PlainLines, _ next: inout Int
    ) {
        while true {
            switch framer.next() {
            case .needBytes: return
            case .lineTooLong:
                hold(plain.isTooLong && next == plain.lines.count, "a line is too long where one is")
                return
            case .line(let line):
                hold(next < plain.lines.count, "there is no more line than there are LFs")
                let expected = UnsafeRawBufferPointer(rebasing: text[plain.lines[next]])
                hold(line.equals(expected), "a line has its bytes")
                next += 1
                guard let base = line.baseAddress else { continue }
                let behind = UnsafeRawBufferPointer(start: base + line.count, count: LineFramer.slack)
                for offset in stride(from: 0, to: behind.count, by: 8) {
                    touched ^= behind.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                }
            }
        }
    }

    /// What a session makes of bytes that come in pieces.
    private func talk(
        _ text: UnsafeRawBufferPointer, _ limit: Int, largest: Int, _ random: inout SplitMix64, puttingBack: Bool
    ) -> [Said] {
        var limits = Limits()
        limits.line = limit
        var machine = SessionMachine(limits: limits)
        var (said, rest) = ([Said](), text)
        while !rest.isEmpty {
            let count = Int.random(in: 1...max(largest, 1), using: &random)
            let piece = ExactCopy(rest.prefix(count))
            machine.bytesReceived(piece.whole)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            listen(to: &machine, &said, &random, puttingBack)
        }
        machine.peerClosed()
        listen(to: &machine, &said, &random, puttingBack)
        hold(said.last == .finished, "a talk has an end")
        return said
    }

    private func listen(
        to machine: inout SessionMachine, _ said: inout [Said], _ random: inout SplitMix64, _ puttingBack: Bool
    ) {
        while said.last != .finished {
            let outcome = machine.withNextLine(reader, role: .write) { request in
                if puttingBack, random.oneIn(3) { return false }
                said.append(.request(request.tag?.description, request.action.verb))
                return true
            }
            switch outcome {
            case .taken, .putBack: break
            case .needBytes, .held: return
            case .finished: said.append(.finished)
            case .refuse(let tag, let failure), .refuseWrite(let tag, let failure, _):
                said.append(.refused(tag?.description, failure))
            case .refuseAndClose(let tag, let failure): said.append(.closed(tag?.description, failure))
            }
        }
    }
}

/// What a session said of one line.
private enum Said: Equatable {
    case request(String?, Verb)
    case refused(String?, Failure)
    case closed(String?, Failure)
    case finished
}

/// The lines of a text, found the slow and obvious way.
private struct PlainLines {
    private(set) var lines: [Range<Int>] = []
    private(set) var isTooLong = false
    /// How many bytes stand behind the last LF.
    private(set) var rest = 0

    init(_ text: UnsafeRawBufferPointer, limit: Int) {
        var start = 0
        for index in text.indices where text[index] == 0x0A {
            guard index - start <= limit else {
                isTooLong = true
                return
            }
            lines.append(start..<index)
            start = index + 1
        }
        rest = text.count - start
        isTooLong = rest > limit
    }
}
