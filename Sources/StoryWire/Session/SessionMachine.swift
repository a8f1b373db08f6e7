package import StoryCore

/// What to do about the next line of a connection.
package enum LineAction: Equatable, Sendable {
    /// Nothing until more bytes come.
    case needBytes
    case request(Request)
    /// Answer the failure and go on.
    case refuse(Tag?, Failure)
    /// Answer the failure and close; what the client sent after it is not looked at.
    case refuseAndClose(Tag?, Failure)
    /// There will be no more lines: the peer closed its side and all its lines were taken, or one of them ended it.
    case finished
}

/// The protocol's state of one connection: bytes come in, requests and refusals come out, in order.
package struct SessionMachine: ~Copyable {
    /// So many lines in a row that are no requests end the connection: something else is talking.
    package static let greatestSyntaxRun = 3

    private var framer: LineFramer
    private var isFirstLine = true
    private var syntaxRun = 0
    private var isPeerClosed = false
    private var isFinished = false

    package init(limits: Limits) { framer = LineFramer(limit: limits.line) }

    /// Takes up what was read; nothing happens until `nextLine`.
    package mutating func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        guard !isFinished, !isPeerClosed else { return }
        framer.append(bytes)
    }

    /// The peer sends no more. The whole lines that are there are still answered; a last one without LF never is.
    package mutating func peerClosed() { isPeerClosed = true }

    /// Reads the next line.
    /// - Parameter role: what the peer may do.
    package mutating func nextLine(_ reader: RequestReader, role: Role) -> LineAction {
        guard !isFinished else { return .finished }
        switch framer.next() {
        case .line(let line):
            return lineTaken(reader.read(line), role)
        case .lineTooLong:
            isFinished = true
            let limit = framer.limit
            return .refuseAndClose(nil, Failure(.tooLarge, "a line has at most \(limit) bytes", .limit(limit)))
        case .needBytes:
            isFinished = isPeerClosed
            return isFinished ? .finished : .needBytes
        }
    }

    /// Takes the next line if it is a plain `GET`, which every role may ask; what is lent is good until more bytes come.
    package mutating func takePlainGet() -> PlainGet? {
        guard !isFinished, let get = framer.line.flatMap({ PlainGet($0) }) else { return nil }
        shortWayTaken()
        return get
    }

    /// Takes the next line if it is a plain `APPEND` and the peer may write; what is lent is good until the next line.
    package mutating func takePlainAppend(_ reader: RequestReader, role: Role) -> PlainAppend? {
        guard !isFinished, role >= .write, let append = framer.line.flatMap({ reader.plainAppend($0) }) else {
            return nil
        }
        shortWayTaken()
        return append
    }

    /// True when `nextLine` has something else to give than `needBytes`.
    package var hasBufferedLine: Bool { isFinished || framer.hasLine || isPeerClosed }

    /// How many bytes were received and not yet taken as lines.
    package var bufferedCount: Int { framer.bufferedCount }

    /// How much storage the connection's input holds, in bytes.
    package var storageCount: Int { framer.storageCount }

    /// The next line was a request, and its short way was taken.
    private mutating func shortWayTaken() {
        _ = framer.next()
        isFirstLine = false
        syntaxRun = 0
    }

    private mutating func lineTaken(_ line: ReadLine, _ role: Role) -> LineAction {
        let wasFirst = isFirstLine
        isFirstLine = false
        switch line.result {
        case .success(let action):
            syntaxRun = 0
            guard line.role <= role else { return .refuse(line.tag, SessionMachine.denied(line, role)) }
            isFinished = line.verb == .quit
            return .request(Request(tag: line.tag, action: action))
        case .failure(let failure):
            syntaxRun = failure.code == .syntax ? syntaxRun + 1 : 0
            let isOtherProtocol = wasFirst && (failure.code == .syntax || line.verb == nil)
            guard isOtherProtocol || syntaxRun == SessionMachine.greatestSyntaxRun else {
                return .refuse(line.tag, failure)
            }
            isFinished = true
            return .refuseAndClose(line.tag, failure)
        }
    }

    private static func denied(_ line: ReadLine, _ role: Role) -> Failure {
        let verb = line.verb?.rawValue ?? "this"
        return Failure(.denied, "\(verb) needs the role \(line.role.name); yours is \(role.name)")
    }
}
