#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Request lines from a descriptor, pipelined at full speed: written in big blocks while the replies are read, so that
/// neither side ever waits for the other to read first.
public struct RequestPipe {
    /// What became of one input line.
    public struct Outcome {
        /// The input's line, from 1.
        public let line: Int
        /// A line of the reply; the last one is final.
        public let reply: ReplyLine
    }

    /// What the pipe did.
    public struct Summary: Equatable, Sendable {
        /// How many requests were sent.
        public internal(set) var requests = 0
        public internal(set) var done = 0
        public internal(set) var failed = 0

        public init() {}

        /// How many have no answer, because the connection ended before.
        public var unanswered: Int { requests - done - failed }
    }

    /// More than so many bytes are not kept in wait: then the input waits.
    private static let outgoingLimit = 262_144

    private let connection: StoreConnection
    private let input: Int32
    /// Makes the request of an input line; nil for a line to be skipped.
    private let request: (ArraySlice<UInt8>) -> [UInt8]?
    /// True for a request that the store will refuse as none: three of them in a row would end the connection.
    private let isDoubtful: ([UInt8]) -> Bool
    private var lines = LineBuffer()
    private var lineNumber = 0
    private var inputEnded = false
    /// Why the input could not be read to its end.
    private var inputFailure: StoreError?
    /// The input's lines whose requests have no final line yet, from `next` on; nil for the pipe's own `PING`.
    private var waiting: [Int?] = []
    private var next = 0
    /// What was done so far.
    public private(set) var summary = Summary()

    /// - Parameters:
    ///   - connection: where the requests go.
    ///   - input: where the lines come from; it is not closed.
    ///   - request: the request that an input line stands for, without LF; nil for a line to be skipped.
    public init(
        over connection: StoreConnection, from input: Int32, request: @escaping (ArraySlice<UInt8>) -> [UInt8]?
    ) {
        self.init(over: connection, from: input, isDoubtful: { _ in false }, request: request)
    }

    /// - Parameter isDoubtful: true for a request that the store will refuse as none; `PING` is sent before it, so that
    ///   such lines never end the connection.
    package init(
        over connection: StoreConnection, from input: Int32, isDoubtful: @escaping ([UInt8]) -> Bool,
        request: @escaping (ArraySlice<UInt8>) -> [UInt8]?
    ) {
        self.connection = connection
        self.input = input
        self.isDoubtful = isDoubtful
        self.request = request
    }

    /// Empty lines and lines of comment (`#`) are skipped, others are requests as they are.
    public static func plainRequest(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        let first = line.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        guard let first, first != 0x23 else { return nil }
        return Array(line)
    }

    /// Runs until the input has ended and every request is answered.
    ///
    /// - Throws: `StoreError.closed` or `.draining` when the store hangs up before that; the summary then says how many
    ///   have no answer. `StoreError.unreadableInput` where the input cannot be read to its end.
    public mutating func run(_ each: (Outcome) -> Void) throws(StoreError) {
        // A connection whose first line is no request is closed.
        ping()
        while true {
            try takeReplies(each)
            if inputEnded && next == waiting.count && connection.unsentCount == 0 { break }
            guard !connection.isOver else { throw connection.ending }
            let takesInput = !inputEnded && connection.unsentCount < RequestPipe.outgoingLimit
            // While nothing is asked, an input that takes its time is no fault of the store's.
            let deadline = Deadline(after: next == waiting.count && takesInput ? nil : connection.timeout)
            if try connection.wait(for: takesInput ? input : nil, deadline) { readInput() }
        }
        if let inputFailure { throw inputFailure }
    }

    private mutating func takeReplies(_ each: (Outcome) -> Void) throws(StoreError) {
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
        while let line = lines.next() { take(line) }
        if count == 0 {
            inputEnded = true
            if let line = lines.rest() { take(line) }
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        lineNumber += 1
        guard let request = request(line) else { return }
        if isDoubtful(request) { ping() }
        connection.enqueue(request)
        waiting.append(lineNumber)
        summary.requests += 1
    }

    /// Asks for nothing; the reply is shown to nobody.
    private mutating func ping() {
        connection.enqueue("PING".utf8)
        waiting.append(nil)
    }
}
