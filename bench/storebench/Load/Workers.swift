import Glibc

/// One worker: the inputs that were handed to it, and the outputs that have no receipt.
protocol Worker: AnyObject {
    /// The socket, which is never waited for in a call.
    var descriptor: Int32 { get }
    /// Sends an output for each input that is here.
    func write()
    /// Reads what came; returns how many outputs got their receipts.
    func read() throws(BenchError) -> Int
}

/// Workers of one source of inputs, on one thread.
struct Workers {
    /// How many inputs each has at a time.
    static let window = 100

    let all: [any Worker]

    /// Makes so many outputs; returns their number a second.
    func run(_ count: Int) throws(BenchError) -> Double {
        var entries = all.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let began = Clock.now()
        var done = 0
        while done < count {
            for worker in all { worker.write() }
            poll(&entries, UInt(entries.count), 1_000)
            for (worker, entry) in zip(all, entries) where entry.revents != 0 { done += try worker.read() }
        }
        return Double(done) / Clock.seconds(since: began)
    }
}

/// A worker of a cursor of Storykeep, or a client that writes the same outputs without one.
final class StoreWorker: Worker {
    let descriptor: Int32
    private let cursor: String?
    private let number: Int
    /// Positions of inputs without an output.
    private var inputs: [Int] = []
    private var unanswered = 0
    private var made = 0
    private var output = RequestText()
    /// Bytes of a line whose end has not come are kept at its start.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var kept = 0

    init(_ path: String, cursor: String?, number: Int) throws(BenchError) {
        descriptor = Link.connected(to: path)
        (self.cursor, self.number) = (cursor, number)
        guard descriptor >= 0 else { throw BenchError("cannot connect to \(path): is the server running?") }
        _ = try read()
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Sends a request, and waits for its reply.
    func ask(_ line: String) throws(BenchError) {
        output.put(text: line + "\n")
        unanswered += 1
        send()
        while unanswered > 0 { _ = try read() }
    }

    func write() {
        if cursor == nil {
            while unanswered + inputs.count < Workers.window {
                made += 1
                inputs.append(made)
            }
        }
        for input in inputs {
            output.put("APPEND done-")
            output.put(number)
            if let cursor {
                output.put(" cursor=")
                output.put(text: cursor)
                output.put("@")
                output.put(input)
            }
            output.put(#" {"type":"Did","data":{"of":"#)
            output.put(input)
            output.put("}}\n")
        }
        unanswered += inputs.count
        inputs.removeAll(keepingCapacity: true)
        send()
    }

    func read() throws(BenchError) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        let count = recv(descriptor, start + kept, buffer.count - kept, 0)
        guard count > 0 else { throw BenchError("the server closed the connection") }
        let end = UnsafeRawPointer(start + kept + count)
        var (at, receipts) = (UnsafeRawPointer(start), 0)
        while at < end, let lineEnd = memchr(at, 0x0A, end - at) {
            let line = UnsafeRawBufferPointer(start: at, count: UnsafeRawPointer(lineEnd) - at)
            switch line.first {
            case UInt8(ascii: "+"): receipts += 1
            case UInt8(ascii: ">"): if let input = StoreWorker.position(line) { inputs.append(input) }
            case UInt8(ascii: "*"): break
            case _: throw BenchError("a worker got \(String(decoding: line.prefix(200), as: UTF8.self))")
            }
            at = UnsafeRawPointer(lineEnd) + 1
        }
        kept = end - at
        memmove(start, at, kept)
        guard kept < buffer.count else { throw BenchError("a line does not end") }
        unanswered -= receipts
        return receipts
    }

    /// The position of an event that is pushed; nil for any other push.
    private static func position(_ line: UnsafeRawBufferPointer) -> Int? {
        let mark: StaticString = #"{"position":"#
        guard let brace = line.firstIndex(of: 0x7B) else { return nil }
        let digits = brace + mark.utf8CodeUnitCount
        guard let start = line.baseAddress, line.count > digits,
            memcmp(start + brace, mark.utf8Start, mark.utf8CodeUnitCount) == 0
        else { return nil }
        return line[digits...].prefix { 0x30...0x39 ~= $0 }.reduce(0) { $0 &* 10 &+ Int($1 & 15) }
    }

    private func send() {
        while !output.isEmpty {
            let count = Glibc.send(descriptor, output.bytes.baseAddress, output.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { fail("the server closed the connection") }
            output.removeFirst(count)
        }
    }
}

/// A consumer of a group of Redis: for each input one transaction, which adds the output and acknowledges the input.
final class RedisWorker: Worker {
    let descriptor: Int32
    private let link: Link
    private let dialect: RedisDialect
    private let group: String
    private let number: Int
    private var inputs = 0
    /// Transactions that were sent with the newest page's request.
    private var sent = 0

    init(_ path: String, group: String, number: Int) {
        dialect = RedisDialect()
        link = Link(path, dialect)
        descriptor = link.descriptor
        (self.group, self.number) = (group, number)
    }

    /// Makes the group, over the whole log.
    func makeGroup() throws(BenchError) {
        link.add(0) { dialect.makeGroup(group, &$0) }
        guard link.settle() else { throw BenchError("Redis refused a group") }
    }

    func write() {
        guard link.outstanding == 0 else { return }
        let last = dialect.lastInput
        for input in (last - inputs + 1)..<(last + 1) {
            link.add(0) { dialect.work(on: input, by: number, group, &$0) }
            // The transaction has a reply to each of its four commands.
            for _ in 0..<3 { link.add(0) { _ in } }
        }
        sent = inputs
        inputs = 0
        link.add(0) { dialect.nextInputs(Workers.window, to: number, group, &$0) }
        link.flush()
    }

    func read() throws(BenchError) -> Int {
        let heard = link.receive(0) { _ in }
        inputs += heard.events
        guard heard.failures == 0 else { throw BenchError("Redis refused a worker") }
        link.flush()
        guard link.outstanding == 0 else { return 0 }
        defer { sent = 0 }
        return sent
    }
}
