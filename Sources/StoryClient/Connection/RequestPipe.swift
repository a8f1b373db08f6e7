#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A pipeline of request lines from a descriptor: they are written in big blocks while the replies are read, so that
/// neither side ever waits for the other to read first.
public struct RequestPipe {
    /// A line of a reply, and the input line that it belongs to.
    public struct Outcome {
        /// The number of the input line, from 1.
        public let line: Int
        /// A line of the reply; the last one is final.
        public let reply: ReplyLine
    }

    /// The counts of requests and replies.
    public struct Summary: Equatable, Sendable {
        /// The number of requests that were sent.
        public internal(set) var requests = 0
        /// The number of requests that were done.
        public internal(set) var done = 0
        /// The number of requests that failed.
        public internal(set) var failed = 0

        /// Creates a summary without requests.
        public init() {}

        /// The number of requests without a reply, because the connection ended before.
        public var unanswered: Int { requests - done - failed }
    }

    /// The number of unsent bytes from which on no more input is read (back-pressure).
    private static let outgoingLimit = 262_144

    private let connection: StoreConnection
    private let input: Int32
    /// Makes the request of an input line; nil for a line to be skipped.
    private let request: (ArraySlice<UInt8>) -> [UInt8]?
    /// True for a request line that the store will refuse as `syntax`: three of them in a row would end the connection.
    private let isDoubtful: ([UInt8]) -> Bool
    private var lines = LineBuffer()
    private var lineNumber = 0
    private var inputEnded = false
    /// The error because of which the input could not be read to its end.
    private var inputFailure: ClientError?
    /// The numbers of the input lines whose requests have no final line yet, from `next` on; nil for the pipe's own
    /// `PING`.
    private var waiting: [Int?] = []
    private var next = 0
    /// The counts so far.
    public private(set) var summary = Summary()

    /// Creates a pipe.
    ///
    /// - Parameters:
    ///   - connection: the connection that requests are sent over.
    ///   - input: the descriptor that the lines are read from; it is not closed.
    ///   - request: makes the request of an input line, without LF; nil for a line to be skipped.
    public init(
        over connection: StoreConnection, from input: Int32, request: @escaping (ArraySlice<UInt8>) -> [UInt8]?
    ) {
        self.init(over: connection, from: input, isDoubtful: { _ in false }, request: request)
    }

    /// Creates a pipe that sends `PING` before doubtful requests.
    ///
    /// - Parameter isDoubtful: true for a request line that the store will refuse as `syntax`; `PING` is sent before
    ///   it, so that such lines never end the connection.
    package init(
        over connection: StoreConnection, from input: Int32, isDoubtful: @escaping ([UInt8]) -> Bool,
        request: @escaping (ArraySlice<UInt8>) -> [UInt8]?
    ) {
        self.connection = connection
        self.input = input
        self.isDoubtful = isDoubtful
        self.request = request
    }

    /// Returns a line as a request; nil for empty lines and comments (`#`), which are skipped.
    public static func plainRequest(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        let first = line.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        guard let first, first != 0x23 else { return nil }
        return Array(line)
    }

    /// Runs until the input has ended and every request has its reply.
    ///
    /// - Throws: `ClientError.connectionLost` or `.draining` when the store closes the connection before that; the summary then
    ///   has the number of unanswered requests. `ClientError.unreadableInput` when the input cannot be read to its end.
    public mutating func run(_ each: (Outcome) -> Void) throws(ClientError) {
        // The store closes a connection whose first line is no request.
        ping()
        while true {
            try handleReplies(each)
            if inputEnded && next == waiting.count && connection.unsentCount == 0 { break }
            guard !connection.isOver else { throw connection.ending }
            let takesInput = !inputEnded && connection.unsentCount < RequestPipe.outgoingLimit
            // Without a request in flight there is no deadline, since the input may be slow.
            let deadline = Deadline(after: next == waiting.count && takesInput ? nil : connection.timeout)
            if try connection.wait(for: takesInput ? input : nil, deadline) { readInput() }
        }
        if let inputFailure { throw inputFailure }
    }

    private mutating func handleReplies(_ each: (Outcome) -> Void) throws(ClientError) {
        while let line = try connection.arrivedLine() {
            if line.kind == .notice { continue }
            if line.kind != .push && next == waiting.count { throw .protocolViolation(line.text) }
            guard let number = next < waiting.count ? waiting[next] : lineNumber else {
                if line.isFinal {
                    next += 1
                } else if line.kind == .push {
                    each(Outcome(line: lineNumber, reply: line))
                }
                continue
            }
            each(Outcome(line: number, reply: line))
            guard line.isFinal else { continue }
            if line.kind == .done { summary.done += 1 } else { summary.failed += 1 }
            next += 1
        }
        if next > 4_096 {
            waiting.removeFirst(next)
            next = 0
        }
    }

    private mutating func readInput() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(input, &buffer, buffer.count)
        if count < 0 {
            guard errno != EINTR, errno != EAGAIN else { return }
            inputFailure = .unreadableInput(reason: reason(errno))
            inputEnded = true
            return
        }
        buffer.withUnsafeBytes { lines.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        while let line = lines.next() { handle(line) }
        if count == 0 {
            inputEnded = true
            if let line = lines.rest() { handle(line) }
        }
    }

    private mutating func handle(_ line: ArraySlice<UInt8>) {
        lineNumber += 1
        guard let request = request(line) else { return }
        if isDoubtful(request) { ping() }
        connection.enqueue(request)
        waiting.append(lineNumber)
        summary.requests += 1
    }

    /// Enqueues a `PING` of the pipe's own, whose reply is not passed on.
    private mutating func ping() {
        connection.enqueue("PING".utf8)
        waiting.append(nil)
    }
}
