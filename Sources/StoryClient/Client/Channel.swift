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
    struct State {
        var arrived: [ReplyLine] = []
        var arrivedSize = 0
        var waiter: CheckedContinuation<Received, Never>?
        /// The TLS of a connection to another machine, once that is made.
        var tls: TLSWire?
        var outgoing: [UInt8] = []
        var sent = 0
        var end: ClientError?
        /// True once a line has come.
        var hasSpoken = false
        /// The milliseconds of silence after which the store is asked whether it is there; −1 for none.
        var patience: Int32 = -1
        /// The write end of the pipe that wakes the thread; −1 once the thread has ended.
        var waker: Int32
        var socket: Int32
    }

    let state: Mutex<State>
    /// The number of bytes of received lines from which on reading pauses; the last read may exceed it.
    private let readAhead: Int

    /// Connects to a Unix socket without waiting, and starts the thread, which connects to another machine.
    ///
    /// - Parameter readAhead: the number of bytes of lines to buffer for a slow reader.
    init(to endpoint: StoreEndpoint, readAhead: Int) throws(StoreError) {
        let socket: Int32
        switch endpoint {
        case .socket(let path, let owner):
            socket = try Descriptor(connectedTo: path, owner: owner, waits: false).release()
        case .remote: socket = -1
        case .malformed(let text): throw StoreWire.malformed(text)
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            let code = errno
            if socket >= 0 { Platform.closeDescriptor(socket) }
            throw .system(call: "pipe", reason: reason(code))
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.readAhead = readAhead
        state = Mutex(State(waker: ends[1], socket: socket))
        let wakeEnd = ends[0]
        let code = Platform.startThread { [self] in
            var number = socket
            do throws(StoreError) {
                if case .remote(let remote, let identity) = endpoint {
                    number = try connect(to: remote, as: identity, interruption: wakeEnd)
                }
                run(number, wakeEnd)
            } catch {
                end(ClientError(connecting: error, to: endpoint))
            }
            finish(number, wakeEnd)
        }
        guard code == 0 else {
            finish(socket, wakeEnd)
            throw .system(call: "pthread_create", reason: reason(code))
        }
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
    func send(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            guard state.end == nil else { return }
            let hadNone = state.outgoing.isEmpty
            if let tls = state.tls {
                // A failure is one that reading reports as well.
                try? tls.seal(Array(bytes), into: &state.outgoing)
            } else {
                state.outgoing.append(contentsOf: bytes)
            }
            if hadNone { Channel.flush(&state) }
            if !state.outgoing.isEmpty { Channel.wake(state) }
        }
    }

    /// Ends the connection; a `receive` that waits returns `ended`.
    func close() { end(.closed) }

    /// From now on sends `PING` whenever nothing has come for a time; where that has no answer in the same time, the
    /// connection is lost.
    func ask(afterSilenceOf silence: Duration) {
        state.withLock { state in
            state.patience = Deadline(after: silence).milliseconds
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
    private func run(_ socket: Int32, _ wakeEnd: Int32) {
        var buffer = LineBuffer()
        var part = [UInt8](repeating: 0, count: 65_536)
        /// True while `PING` has no reply.
        var hasAsked = false
        while let (events, patience) = wantedEvents() {
            var polled = [
                pollfd(fd: events == 0 ? -1 : socket, events: events, revents: 0),
                pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&polled, nfds_t(polled.count), patience)
            if count < 0, errno != EINTR { return end(.connectionLost) }
            if count == 0 {
                guard !hasAsked else { return end(.connectionLost) }
                hasAsked = true
                send("\(RequestLine(.ping).text)\n".utf8)
            }
            if polled[1].revents != 0 { while read(wakeEnd, &part, part.count) > 0 {} }
            guard polled[0].revents != 0 else { continue }
            if events & Int16(POLLOUT) != 0 { state.withLock { Channel.flush(&$0) } }
            if events & Int16(POLLIN) != 0, let reason = readSome(socket, &buffer, &part, &hasAsked) {
                return end(reason)
            }
        }
    }

    /// Returns the events of the socket to wait for, and the milliseconds after which there was silence, −1 for none;
    /// nil once the channel is closed.
    private func wantedEvents() -> (events: Int16, patience: Int32)? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            let isReading = state.arrivedSize < readAhead
            let events = (isReading ? Int16(POLLIN) : 0) | (state.outgoing.isEmpty ? 0 : Int16(POLLOUT))
            return (events, isReading ? state.patience : -1)
        }
    }

    /// Reads the available bytes and hands over the whole lines; returns the error that ends the connection, if any.
    private func readSome(
        _ socket: Int32, _ buffer: inout LineBuffer, _ part: inout [UInt8], _ hasAsked: inout Bool
    ) -> ClientError? {
        let count = recv(socket, &part, part.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EAGAIN || errno == EINTR ? nil : .connectionLost }
        if count == 0 { return .connectionLost }
        let received: Result<[UInt8]?, StoreError> = state.withLock { state in
            guard let tls = state.tls else { return .success(nil) }
            return Result { () throws(StoreError) in try Channel.open(part[..<count], by: tls, &state) }
        }
        switch received {
        case .success(nil): part.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        case .success(let data?): data.withUnsafeBytes { buffer.append($0) }
        case .failure(let error): return ClientError(connecting: error, to: nil)
        }
        var lines: [ReplyLine] = []
        var size = 0
        while let bytes = buffer.next() {
            guard let line = ReplyLine(bytes) else {
                hand(over: lines, size)
                return .protocolViolation(String(decoding: bytes.prefix(200), as: UTF8.self))
            }
            if hasAsked, line.kind == .done {
                hasAsked = false
                continue
            }
            lines.append(line)
            size += bytes.count
        }
        hand(over: lines, size)
        return buffer.unreadCount > LineBuffer.longestLine ? .protocolViolation("a line without end") : nil
    }

    private func hand(over lines: [ReplyLine], _ size: Int) {
        guard !lines.isEmpty else { return }
        let waiter = state.withLock { state in
            state.hasSpoken = true
            state.arrived += lines
            state.arrivedSize += size
            return Channel.takeWaiter(&state)
        }
        if let waiter { waiter.resume(returning: take(or: nil) ?? .lines(lines)) }
    }

    private func finish(_ socket: Int32, _ wakeEnd: Int32) {
        end(.connectionLost)
        let waker = state.withLock { state in
            defer { (state.waker, state.socket) = (-1, -1) }
            return state.waker
        }
        for number in [socket, wakeEnd, waker] where number >= 0 { Platform.closeDescriptor(number) }
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

    /// Sends as many bytes as the kernel accepts. After an error the rest is dropped, since reading reports the end.
    static func flush(_ state: inout State) {
        while state.socket >= 0, state.sent < state.outgoing.count {
            let count = state.outgoing.withUnsafeBytes {
                Platform.sendBytes(state.socket, UnsafeRawBufferPointer(rebasing: $0[state.sent...]))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            state.sent = count < 0 ? state.outgoing.count : state.sent + count
        }
        state.outgoing.removeAll(keepingCapacity: state.outgoing.count <= 65_536)
        state.sent = 0
    }
}
