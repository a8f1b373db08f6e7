import Glibc

/// Rows of the table about workers of a cursor.
enum WorkerRows {
    /// One output for each input, in the commit that moves the cursor, beside the same outputs without a cursor.
    static var row: Row {
        func shape(_ shares: Int) -> Shape {
            func contender(_ name: String, _ hasCursor: Bool) -> Contender {
                Contender(name) { stage throws(BenchError) in
                    if stage.isFirst("jobs") { try stage.fillStore(.append, stage.size.million, on: "jobs") }
                    let path = try stage.store("jobs").address
                    return { () throws(BenchError) in
                        let cursor = hasCursor ? "jobs\(stage.number("cursor"))" : nil
                        let count = max(1_000, stage.size.million / 10)
                        return Sample(perSecond: try Workers(path, cursor, shares).run(count))
                    }
                }
            }
            return Shape(
                name: shares == 1 ? "one holder" : "\(shares) shares", unit: "outputs/s",
                contenders: [contender("storekeep", true), contender("without a cursor", false)],
                bars: [.ratio(over: "without a cursor", least: 0.8)])
        }
        return Row(id: "S19", title: "an output for each input of a cursor, window 100", shapes: [shape(1), shape(8)])
    }
}

/// The workers of a cursor, each with a connection of its own.
private final class Workers {
    private static let window = 100

    private let links: [WorkerLink]

    /// Makes the cursor, and has each worker hold a share; without one they write the same outputs.
    init(_ path: String, _ cursor: String?, _ count: Int) throws(BenchError) {
        links = (0..<count).map { WorkerLink(path, cursor, $0) }
        guard let cursor else { return }
        let settings = #"{"on":"events/bench-*","shares":\#(count),"window":\#(Workers.window)}"#
        try links[0].ask("CURSOR \(cursor) \(settings)")
        for link in links { try link.ask("WORK \(cursor)") }
    }

    /// Makes so many outputs; returns their number a second.
    func run(_ count: Int) throws(BenchError) -> Double {
        let began = Clock.now()
        var done = 0
        while done < count {
            for link in links { link.write(atMost: Workers.window) }
            var entries = links.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            poll(&entries, UInt(entries.count), 1_000)
            for (link, entry) in zip(links, entries) where entry.revents != 0 { done += try link.read() }
        }
        return Double(done) / Clock.seconds(since: began)
    }
}

/// One worker: the events that were delivered to it, and the outputs that have no receipt.
private final class WorkerLink {
    let descriptor: Int32
    private let cursor: String?
    private let number: Int
    private var delivered: [UInt64] = []
    private var unanswered = 0
    private var made: UInt64 = 0
    /// The bytes of a line without its end.
    private var rest: [UInt8] = []

    init(_ path: String, _ cursor: String?, _ number: Int) {
        descriptor = Link.connected(to: path)
        (self.cursor, self.number) = (cursor, number)
        guard descriptor >= 0 else { fail("cannot connect to \(path): is the server running?") }
        _ = lines()
    }

    deinit { close(descriptor) }

    /// Sends a request, and waits for its reply.
    func ask(_ line: String) throws(BenchError) {
        send(line + "\n")
        unanswered += 1
        while unanswered > 0 { _ = try read() }
    }

    /// Writes an output for each event that was delivered; without a cursor as many as may be without a receipt.
    func write(atMost window: Int) {
        if cursor == nil {
            while unanswered + delivered.count < window {
                made += 1
                delivered.append(made)
            }
        }
        guard !delivered.isEmpty else { return }
        let text = delivered.map { event in
            let mark = cursor.map { " cursor=\($0)@\(event)" } ?? ""
            return "APPEND done-\(number)\(mark) {\"type\":\"Did\",\"data\":{\"of\":\(event)}}\n"
        }
        unanswered += delivered.count
        delivered = []
        send(text.joined())
    }

    /// Reads what came; returns the number of receipts.
    func read() throws(BenchError) -> Int {
        var receipts = 0
        for line in lines() {
            switch line.first {
            case UInt8(ascii: "+"): receipts += 1
            case UInt8(ascii: ">"): if let event = WorkerLink.position(line) { delivered.append(event) }
            case _: throw BenchError("a worker got \(String(decoding: line.prefix(200), as: UTF8.self))")
            }
        }
        unanswered -= receipts
        return receipts
    }

    /// The position of an event that is pushed; nil for any other push.
    private static func position(_ line: ArraySlice<UInt8>) -> UInt64? {
        let mark = Array(#"{"position":"#.utf8)
        guard let brace = line.firstIndex(of: 0x7B), line[brace...].starts(with: mark) else { return nil }
        return line[(brace + mark.count)...].prefix { $0 &- 0x30 < 10 }.reduce(0) { 10 * $0 + UInt64($1 - 0x30) }
    }

    /// The lines that came whole.
    private func lines() -> [ArraySlice<UInt8>] {
        let room = 1 << 18
        let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { buffer in
            let count = recv(descriptor, buffer.baseAddress, room, 0)
            if count > 0 { rest += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
            return count
        }
        guard count > 0 else { fail("the server closed the connection") }
        var lines = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
        rest = Array(lines.removeLast())
        return lines
    }

    private func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { fail("the server closed the connection") }
            bytes = bytes.dropFirst(count)
        }
    }
}
