import StoryCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection with a thread of its own, which reads lines ahead up to a limit and sends the bytes that the kernel did
/// not accept at once. No call blocks a task's thread.
final class Channel: Sendable {
    /// The result of waiting for lines.
    enum Received: Sendable {
        /// Lines that arrived, at least one.
        case lines([ReplyLine])
        /// The end of the connection and its reason.
        case ended(ClientError)
    }

    /// The state that callers and the thread share.
    private struct State {
        /// The connection; nil before it is made to another machine, and once the thread has ended.
        var wire: StoreWire?
        var arrived: [ReplyLine] = []
        var arrivedSize = 0
        var waiter: CheckedContinuation<Received, Never>?
        var end: ClientError?
        /// True once a line has come.
        var hasSpoken = false
        /// The milliseconds of silence after which the store is asked whether it is there; −1 for none.
        var patience: Int32 = -1
        /// True while `PING` has no reply.
        var hasAsked = false
        /// The write end of the pipe that wakes the thread; −1 once the thread has ended.
        var waker: Int32
    }

    /// The time that connecting to another machine may take.
    private static let patience = Duration.seconds(10)

    private let state: Mutex<State>
    /// The number of bytes of received lines from which on reading pauses; the last read may exceed it.
    private let readAhead: Int

    /// Connects to a Unix socket without waiting, and starts the thread, which connects to another machine.
    ///
    /// - Parameter readAhead: the number of bytes of lines to buffer for a slow reader.
    init(to endpoint: StoreEndpoint, readAhead: Int) throws(ClientError) {
        var wire: StoreWire?
        if case .remote = endpoint {} else { wire = try Channel.wire(to: endpoint, interruption: -1) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw .unreachable(path: endpoint.description, reason: "pipe failed: \(reason(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.readAhead = readAhead
        state = Mutex(State(wire: wire, waker: ends[1]))
        let wakeEnd = ends[0]
        let code = Platform.startThread { [self] in
            do throws(ClientError) {
                if case .remote = endpoint {
                    let wire = try Channel.wire(to: endpoint, interruption: wakeEnd)
                    state.withLock { $0.wire = wire }
                }
                run(wakeEnd)
            } catch {
                end(error == .interrupted ? .closed : error)
            }
            finish(wakeEnd)
        }
        guard code == 0 else {
            finish(wakeEnd)
            throw .unreachable(path: endpoint.description, reason: "pthread_create failed: \(reason(code))")
        }
    }

    private static func wire(to endpoint: StoreEndpoint, interruption: Int32) throws(ClientError) -> StoreWire {
        try StoreWire(to: endpoint, waits: false, deadline: Deadline(after: patience), interruption: interruption)
    }

    /// The number of bytes of lines that have arrived and were not received yet.
    var waitingSize: Int { state.withLock { $0.arrivedSize } }

    /// Returns the lines that have arrived; waits for the first one. Cancelling the task closes the channel.
    func receive() async -> Received {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let received = take(or: continuation) { continuation.resume(returning: received) }
            }
        } onCancel: {
            close()
        }
    }

    /// Sends bytes: as many as the kernel accepts now, the rest as soon as it accepts more.
    func send(_ bytes: some Sequence<UInt8>) { state.withLock { Channel.send(bytes, &$0) } }

    /// Ends the connection; a `receive` that waits returns `ended`.
    func close() { end(.closed) }

    /// From now on sends `PING` whenever nothing has come for a time; where that has no answer in the same time, the
    /// connection is lost. Nil: it waits for as long as it takes.
    func ask(afterSilenceOf silence: Duration?) {
        state.withLock { state in
            state.patience = silence.map { Deadline(after: $0).milliseconds } ?? -1
            Channel.wake(state)
        }
    }

    /// Ends the connection if no line has come yet.
    func closeIfSilent() {
        if !state.withLock({ $0.hasSpoken }) { close() }
    }

    private func end(_ reason: ClientError) {
        let waiter = state.withLock { state in
            if state.end == nil { state.end = reason }
            Channel.wake(state)
            return Channel.takeWaiter(&state)
        }
        if let waiter { waiter.resume(returning: take(or: nil) ?? .ended(reason)) }
    }

    /// Returns the lines or the end, if there is either; otherwise keeps the continuation and returns nil.
    private func take(or continuation: CheckedContinuation<Received, Never>?) -> Received? {
        state.withLock { state in
            guard state.arrived.isEmpty else {
                defer { (state.arrived, state.arrivedSize) = ([], 0) }
                if state.arrivedSize >= readAhead { Channel.wake(state) }
                return .lines(state.arrived)
            }
            if let end = state.end { return .ended(end) }
            state.waiter = continuation
            return nil
        }
    }
}

// The work of the thread.
extension Channel {
    private func run(_ wakeEnd: Int32) {
        var woken = [UInt8](repeating: 0, count: 64)
        while let (number, events, patience) = wantedEvents() {
            var polled = [
                pollfd(fd: events == 0 ? -1 : number, events: events, revents: 0),
                pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, nfds_t(polled.count), patience)
            if count < 0, errno != EINTR { return end(.connectionLost) }
            if count == 0, !askAfterSilence() { return end(.connectionLost) }
            if polled[1].revents != 0 { while read(wakeEnd, &woken, woken.count) > 0 {} }
            if polled[0].revents != 0, let reason = move(polled[0].revents) { return end(reason) }
        }
    }

    /// Returns the socket, the events to wait for, and the milliseconds after which there was silence, −1 for none; nil
    /// once the channel is closed.
    private func wantedEvents() -> (number: Int32, events: Int16, patience: Int32)? {
        state.withLock { state in
            guard state.end == nil, let wire = state.wire else { return nil }
            let isReading = state.arrivedSize < readAhead
            let events = (isReading ? Int16(POLLIN) : 0) | (wire.unsentCount == 0 ? 0 : Int16(POLLOUT))
            return (wire.number, events, isReading ? state.patience : -1)
        }
    }

    /// Sends `PING` after silence; returns false where the last one has no answer.
    private func askAfterSilence() -> Bool {
        state.withLock { state in
            guard !state.hasAsked else { return false }
            state.hasAsked = true
            Channel.send("\(RequestLine(.ping).text)\n".utf8, &state)
            return true
        }
    }

    /// Sends and receives, and hands over the whole lines; returns the error that ends the connection, if any.
    private func move(_ events: Int16) -> ClientError? {
        let (waiter, error) = state.withLock { state -> (CheckedContinuation<Received, Never>?, ClientError?) in
            guard let wire = state.wire else { return (nil, nil) }
            var end: ClientError?
            do throws(ClientError) {
                try wire.move(events)
            } catch {
                end = Channel.end(of: error)
            }
            end = Channel.takeLines(of: wire, &state) ?? end ?? (wire.isAtEnd ? .connectionLost : nil)
            return (state.arrived.isEmpty ? nil : Channel.takeWaiter(&state), end)
        }
        if let waiter { waiter.resume(returning: take(or: nil) ?? .ended(error ?? .connectionLost)) }
        return error
    }

    private func finish(_ wakeEnd: Int32) {
        end(.connectionLost)
        let waker = state.withLock { state in
            defer { (state.wire, state.waker) = (nil, -1) }
            return state.waker
        }
        for number in [wakeEnd, waker] where number >= 0 { Platform.closeDescriptor(number) }
    }
}

// Functions that are called with the state locked.
extension Channel {
    private static func takeWaiter(_ state: inout State) -> CheckedContinuation<Received, Never>? {
        defer { state.waiter = nil }
        return state.waiter
    }

    private static func wake(_ state: borrowing State) {
        var byte: UInt8 = 0
        if state.waker >= 0 { _ = write(state.waker, &byte, 1) }
    }

    private static func send(_ bytes: some Sequence<UInt8>, _ state: inout State) {
        guard state.end == nil, let wire = state.wire else { return }
        let hadNone = wire.unsentCount == 0
        wire.enqueue(bytes)
        // The thread tries again after a failure, and reports it.
        if hadNone { try? wire.sendSome() }
        if wire.unsentCount > 0 { wake(state) }
    }

    /// Takes the whole lines that have arrived; returns the error for one that is none of the protocol's.
    private static func takeLines(of wire: StoreWire, _ state: inout State) -> ClientError? {
        while let bytes = wire.arrivedLine() {
            guard let line = ReplyLine(bytes) else { return .violation(bytes) }
            if state.hasAsked, line.kind == .done {
                state.hasAsked = false
                continue
            }
            state.hasSpoken = true
            state.arrived.append(line)
            state.arrivedSize += bytes.count
        }
        return nil
    }

    /// Returns the error with which a failure of the wire ends the connection.
    private static func end(of error: ClientError) -> ClientError {
        switch error {
        case .insecure, .protocolViolation: error
        default: .connectionLost
        }
    }
}
