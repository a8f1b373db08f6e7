import Glibc
import StoryClient

/// Server-sent events of a subscription: each push as the store sent it, through any number of connections.
///
/// The store keeps a position for the stream, and no events: where the reader stops, so does reading from the store.
final class LiveStream: BodyStream {
    /// The time without an event after which a comment shows that the stream goes on, and the store is asked whether it
    /// is there.
    private static let silence = Duration.seconds(15)
    /// The pause between two attempts to connect again, and the longest that one may take.
    private static let pause = Duration.seconds(1)
    private static let patience = Duration.seconds(5)
    /// The bytes that are received at once: most streams are idle, and there may be many.
    private static let readBytes = 8_192
    /// The bytes of a piece.
    private static let pieceBytes = 16_384

    private enum Phase {
        case open(StoreConnection, isAsked: Bool)
        /// The store went away.
        case lost(nextAttempt: Deadline)
        /// Nothing follows.
        case ended
    }

    private let address: StoreAddress
    private let stop: StopSignal
    /// The client's socket, whose end ends the stream.
    private let socket: Int32
    private var request: LiveRequest
    private var phase = Phase.ended
    private var bytes: [UInt8] = []
    private var lastSent = ContinuousClock.now
    private let ending: () -> Void

    /// Creates a stream that has not begun.
    ///
    /// - Parameter ending: called once, when the stream is dropped.
    init(
        _ request: LiveRequest, of address: StoreAddress, stop: StopSignal, socket: Int32,
        ending: @escaping () -> Void
    ) {
        (self.request, self.address, self.stop, self.socket) = (request, address, stop, socket)
        self.ending = ending
    }

    deinit { ending() }

    /// Subscribes, and returns the answer with the stream, or the store's refusal.
    func answer() throws(MalformedQuery) -> HTTPAnswer {
        let line = try request.line()
        do throws(ClientError) {
            if let refusal = try subscribe(line) { return StoreFailure.answer(refusal: refusal) }
        } catch {
            return StoreFailure.answer(error)
        }
        bytes = Array("retry: 1000\n\n".utf8)
        return .content("text/event-stream", .stream(self))
    }

    func next() -> BodyPiece {
        while bytes.isEmpty {
            do throws(ClientError) {
                guard try step() else { return .end }
            } catch {
                return .cut
            }
        }
        lastSent = .now
        defer { bytes.removeAll(keepingCapacity: true) }
        return .bytes(bytes)
    }

    /// Adds the pushes that have come, or waits for one; returns false at the end of the stream.
    private func step() throws(ClientError) -> Bool {
        switch phase {
        case .ended: return false
        case .open(let connection, let isAsked):
            do throws(ClientError) {
                try read(connection, isAsked: isAsked)
            } catch {
                if case .interrupted = error { throw error }
                lost()
            }
        case .lost(let nextAttempt): try connectAgain(at: nextAttempt)
        }
        return true
    }

    private func read(_ connection: StoreConnection, isAsked: Bool) throws(ClientError) {
        while bytes.count < LiveStream.pieceBytes, let line = try connection.arrivedLine() {
            if line.kind == .push { push(line.json) }
            if line.isFinal { phase = .open(connection, isAsked: false) }
            guard case .open = phase else { return }
        }
        guard bytes.isEmpty else { return }
        guard !connection.isOver else { throw connection.ending }
        switch try connection.wait(for: socket, within: LiveStream.silence) {
        case .moved: break
        case .other: throw .interrupted
        case .silence:
            guard !isAsked else { throw .connectionLost }
            try connection.send("PING")
            phase = .open(connection, isAsked: true)
            comment()
        }
    }

    /// Adds a push, under the name of its kind.
    private func push(_ json: [UInt8]) {
        guard let members = JSONMembers(json) else { return }
        switch members.first {
        case "end":
            request.ended(resume: members.number("resume"))
            // A daemon that stops comes back, or another one does.
            guard members.text("end") != "draining" else { return lost() }
            add(json, as: "end")
            phase = .ended
        case "caughtUp":
            if let position = members.number("caughtUp") { request.sent(position) }
            add(json, as: "caughtUp", at: members.number("caughtUp"))
        case "behind": add(json, as: "behind")
        case "again": add(json, as: "again")
        default:
            let position = members.number("position")
            if let position { request.sent(position) }
            add(json, at: position)
        }
    }

    private func add(_ json: [UInt8], as name: String? = nil, at position: UInt64? = nil) {
        if let name { bytes += "event: \(name)\n".utf8 }
        if let position { bytes += "id: \(position)\n".utf8 }
        bytes += "data: ".utf8
        bytes += json
        bytes += "\n\n".utf8
    }

    private func comment() { bytes += ":\n\n".utf8 }

    private func lost() {
        add(Array("{}".utf8), as: "lost")
        phase = .lost(nextAttempt: Deadline(after: LiveStream.pause))
    }

    private func connectAgain(at moment: Deadline) throws(ClientError) {
        try wait(until: moment)
        if ContinuousClock.now - lastSent >= LiveStream.silence { comment() }
        guard let line = try? request.line() else { return phase = .ended }
        do throws(ClientError) {
            guard let refusal = try subscribe(line) else {
                // The rows that were sent are void, and come as they are now.
                if !request.isOfEvents { add(Array("{}".utf8), as: "again") }
                return
            }
            let retry = ClientError(Refusal(json: refusal)).retry
            guard retry == .later || retry == .same else {
                add(refusal, as: "end")
                return phase = .ended
            }
        } catch {
            if case .interrupted = error { throw error }
        }
        phase = .lost(nextAttempt: Deadline(after: LiveStream.pause))
    }

    /// Connects and subscribes; returns the store's refusal, if it refuses.
    private func subscribe(_ line: String) throws(ClientError) -> [UInt8]? {
        let connection = try StoreConnection(
            to: address, timeout: LiveStream.patience, interruption: stop.descriptor, waits: true, writes: false,
            readBytes: LiveStream.readBytes)
        request.opened(connection.greeting)
        let reply = try connection.ask(line)
        guard reply.isDone else { return reply.final.json }
        request.began(reply.final.json)
        phase = .open(connection, isAsked: false)
        return nil
    }

    /// Waits until a moment.
    ///
    /// - Throws: `interrupted` where the client or this program ends before.
    private func wait(until moment: Deadline) throws(ClientError) {
        while moment.milliseconds > 0 {
            var polled = [socket, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&polled, nfds_t(polled.count), moment.milliseconds) > 0 { throw .interrupted }
        }
    }
}
