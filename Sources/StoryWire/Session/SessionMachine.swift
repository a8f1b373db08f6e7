package import StoryCore

/// What became of the next line of a connection, and what is to be done about it.
package enum LineOutcome: Equatable {
    /// It was a request, and is done with.
    case taken
    /// It was a request that has to wait: it is the next line again.
    case putBack
    /// There is no line until more bytes come.
    case needBytes
    /// Answer the failure and go on.
    case refuse(Tag?, Failure)
    /// Answer that the key belongs to another request, or the failure, and go on.
    case refuseWrite(Tag?, Failure, RequestKey)
    /// Answer the failure and close; what the client sent after it is not looked at.
    case refuseAndClose(Tag?, Failure)
    /// There will be no more lines: the peer closed its side and all its lines were taken, or one of them ended it.
    case finished
}

/// The protocol's state of one connection: bytes come in, requests and refusals come out, in order.
package struct SessionMachine: ~Copyable {
    /// So many lines in a row that are no requests end the connection: something else is talking.
    package static let maxSyntaxErrors = 3

    private enum State {
        /// More bytes may come.
        case open(Talk)
        /// The peer sends no more; its whole lines are still read, and a last one without LF never is.
        case peerClosed(Talk)
        /// There are no more lines.
        case finished
    }

    /// What the lines so far say of who is talking.
    private enum Talk {
        /// There was no line yet.
        case silent
        /// The last lines, so many, were no requests.
        case refused(Int)
    }

    private var framer: LineFramer
    private var state = State.open(.silent)

    package init(limits: Limits) { framer = LineFramer(limit: limits.line) }

    /// Takes up what was read; nothing happens until `withNextLine`.
    package mutating func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .open: framer.append(bytes)
        case .peerClosed, .finished: break
        }
    }

    /// The peer sends no more.
    package mutating func peerClosed() {
        switch state {
        case .open(let talk): state = .peerClosed(talk)
        case .peerClosed, .finished: break
        }
    }

    /// Reads the next line and lends what it asks for: nothing of it may be kept when `handle` has returned.
    ///
    /// - Parameters:
    ///   - role: what the peer may do.
    ///   - handle: false for a request that has to wait; nothing else touches this machine meanwhile.
    package mutating func withNextLine(
        _ reader: RequestReader, role: Role, _ handle: (borrowing Request) -> Bool
    ) -> LineOutcome {
        let talk: Talk
        switch state {
        case .finished: return .finished
        case .open(let before), .peerClosed(let before): talk = before
        }
        switch framer.next() {
        case .line(let line):
            do throws(RefusedLine) {
                return taken(try reader.read(line), role, handle)
            } catch {
                return refusal(error, talk)
            }
        case .lineTooLong:
            state = .finished
            let limit = framer.limit
            let failure = Failure(.tooLarge, "a line has at most \(limit) bytes", .limit(limit))
            return .refuseAndClose(RequestReader.tag(of: framer.opening), failure)
        case .needBytes: return noLine()
        }
    }

    /// True when the next line is there, or it is known that there is none.
    package var hasBufferedLine: Bool {
        switch state {
        case .open: framer.hasLine
        case .peerClosed, .finished: true
        }
    }

    /// How many bytes were received and not yet taken as lines.
    package var bufferedCount: Int { framer.bufferedCount }

    /// How much storage the connection's input holds, in bytes.
    package var storageCount: Int { framer.storageCount }

    /// Forgets what was received: nothing of it is taken up any more.
    package mutating func discard() { framer.discard() }

    private mutating func noLine() -> LineOutcome {
        switch state {
        case .open: return .needBytes
        case .peerClosed, .finished:
            state = .finished
            return .finished
        }
    }

    private mutating func taken(
        _ request: borrowing Request, _ role: Role, _ handle: (borrowing Request) -> Bool
    ) -> LineOutcome {
        talkGoesOn(as: .refused(0))
        guard request.role <= role else { return .refuse(request.tag, SessionMachine.denied(request, role)) }
        guard handle(request) else {
            framer.putBack()
            return .putBack
        }
        if request.verb == .quit { state = .finished }
        return .taken
    }

    private mutating func refusal(_ line: RefusedLine, _ talk: Talk) -> LineOutcome {
        let (failure, tag) = (line.failure, line.tag)
        let isSyntax = failure.code == .syntax
        let count: Int
        switch talk {
        // What begins with no request speaks another protocol.
        case .silent: count = isSyntax || line.verb == nil ? SessionMachine.maxSyntaxErrors : 0
        case .refused(let before): count = isSyntax ? before + 1 : 0
        }
        talkGoesOn(as: .refused(count))
        guard count >= SessionMachine.maxSyntaxErrors else {
            return line.key.map { .refuseWrite(tag, failure, $0) } ?? .refuse(tag, failure)
        }
        state = .finished
        return .refuseAndClose(tag, failure)
    }

    private mutating func talkGoesOn(as talk: Talk) {
        switch state {
        case .open: state = .open(talk)
        case .peerClosed: state = .peerClosed(talk)
        case .finished: break
        }
    }

    private static func denied(_ request: borrowing Request, _ role: Role) -> Failure {
        Failure(.denied, "\(request.verb.rawValue) needs the role \(request.role.name); yours is \(role.name)")
    }
}
