package import StoryCore

/// The outcome of a connection's next line, and the action for it.
package enum LineOutcome: Equatable {
    /// It was a request, and was handled.
    case taken
    /// It was a request that has to wait: it will be the next line again.
    case putBack
    /// It will be the next line again, since earlier requests of the connection have no reply yet; it may be the end of
    /// the input.
    case held(Tag?, isEnd: Bool = false)
    /// There is no whole line until more bytes come.
    case needBytes
    /// Answer with the failure and continue.
    case refuse(Tag?, Failure)
    /// Answer that the key belongs to another request, or with the failure, and continue.
    case refuseWrite(Tag?, Failure, RequestKey)
    /// Answer with the failure and close; later bytes of the client are ignored.
    case refuseAndClose(Tag?, Failure)
    /// There will be no more lines: the peer closed its side and all its lines were taken, or a line ended the
    /// connection.
    case finished
}

/// The protocol state of one connection: turns received bytes into requests and refusals, in order.
package struct SessionMachine: ~Copyable {
    /// The number of consecutive syntax errors that ends the connection, since the client speaks another protocol.
    package static let maxSyntaxErrors = 3

    /// The state of the connection's input.
    private enum State {
        /// More bytes may come.
        case open(Talk)
        /// The peer sends no more; its whole lines are still read, but a last one without LF is not.
        case peerClosed(Talk)
        /// There are no more lines.
        case finished
    }

    /// The validity of the lines so far.
    private enum Talk {
        /// There was no line yet.
        case silent
        /// The number of consecutive syntax errors up to the last line.
        case refused(Int)
    }

    private var framer: LineFramer
    /// The longest line of the peer's own, in bytes.
    private let limit: Int
    /// True for a node, which may pass writes on.
    private let passesOn: Bool
    private var state = State.open(.silent)

    /// Creates the state of a new connection.
    ///
    /// - Parameters:
    ///   - limits: the limits of a connection.
    ///   - passesOn: whether the peer is a node, which passes on lines that are as long as its clients may send them.
    package init(limits: Limits, passesOn: Bool = false) {
        limit = limits.line
        self.passesOn = passesOn
        framer = LineFramer(limit: limits.line + (passesOn ? PeerLineReader.passOnCount : 0))
    }

    /// Buffers received bytes; `withNextLine` reads them.
    package mutating func bytesReceived(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .open: framer.append(bytes)
        case .peerClosed, .finished: break
        }
    }

    /// Notes that the peer sends no more.
    package mutating func peerClosed() {
        switch state {
        case .open(let talk): state = .peerClosed(talk)
        case .peerClosed, .finished: break
        }
    }

    /// Reads the next line and passes its request to `handle`; the request is valid until that returns.
    ///
    /// - Parameters:
    ///   - role: the peer's role.
    ///   - isHeld: true while earlier requests have no reply, so that nothing is refused yet.
    ///   - handle: returns false for a request that has to wait; it must not use this machine.
    package mutating func withNextLine(
        _ reader: RequestReader, role: Role, isHeld: Bool = false, _ handle: (borrowing Request) -> Bool
    ) -> LineOutcome {
        let talk: Talk
        switch state {
        case .finished: return .finished
        case .open(let before), .peerClosed(let before): talk = before
        }
        switch framer.next() {
        case .line(let line):
            do throws(RefusedLine) {
                let request = try reader.read(line)
                guard line.count <= limit || request.author != nil else { return lineIsTooLong(request.tag) }
                if isHeld, !role.includes(request.role) || request.author != nil { return held(request.tag) }
                return taken(request, role, handle)
            } catch {
                return isHeld ? held(error.tag) : refusal(error, talk)
            }
        case .lineTooLong:
            let tag = RequestReader.tag(of: framer.opening)
            return isHeld ? .held(tag) : lineIsTooLong(tag)
        case .needBytes: return noLine(isHeld: isHeld)
        }
    }

    private mutating func held(_ tag: Tag?) -> LineOutcome {
        framer.putBack()
        return .held(tag)
    }

    private mutating func lineIsTooLong(_ tag: Tag?) -> LineOutcome {
        state = .finished
        return .refuseAndClose(tag, Failure(.tooLarge, "a line has at most \(limit) bytes", .limit(limit)))
    }

    /// True if the next line is there, or there will be none.
    package var hasBufferedLine: Bool {
        switch state {
        case .open: framer.hasLine
        case .peerClosed, .finished: true
        }
    }

    /// The number of received bytes that were not taken as lines yet.
    package var bufferedCount: Int { framer.bufferedCount }

    /// The size of the connection's input storage in bytes.
    package var storageCount: Int { framer.storageCount }

    /// Drops all received bytes.
    package mutating func discard() { framer.discard() }

    private mutating func noLine(isHeld: Bool) -> LineOutcome {
        switch state {
        case .open: return .needBytes
        case .peerClosed where isHeld: return .held(nil, isEnd: true)
        case .peerClosed, .finished:
            state = .finished
            return .finished
        }
    }

    private mutating func taken(
        _ request: borrowing Request, _ role: Role, _ handle: (borrowing Request) -> Bool
    ) -> LineOutcome {
        talkGoesOn(as: .refused(0))
        guard request.author == nil || passesOn else {
            return .refuse(request.tag, Failure(.denied, "AS is for the nodes of a log alone"))
        }
        guard role.includes(request.role) else { return .refuse(request.tag, SessionMachine.denied(request, role)) }
        guard handle(request) else {
            framer.putBack()
            return .putBack
        }
        if request.verb == .follow(.quit) { state = .finished }
        return .taken
    }

    private mutating func refusal(_ line: RefusedLine, _ talk: Talk) -> LineOutcome {
        let (failure, tag) = (line.failure, line.tag)
        let isSyntax = failure.code == .syntax
        let count: Int
        switch talk {
        // A first line that is no request speaks another protocol.
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
        Failure(.denied, "\(request.verb.name) needs the role \(request.role.name); yours is \(role.name)")
    }
}
