import CUV
import Glibc

/// The libuv loop and its handles that are not connections; each lives until its close is called back.
final class LoopHandles {
    /// How often housekeeping runs, in milliseconds; also how long an overfull listener rests.
    private static let tick: UInt64 = 100

    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
    private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
    private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    let alarm: Alarm
    /// A handle for each of `endingSignals`.
    private let signals: [UnsafeMutablePointer<uv_signal_t>]
    /// What asks the process to end. A terminal that is closed sends the last one.
    private static let endingSignals = [SIGTERM, SIGINT, SIGHUP]
    private var listener: UnsafeMutablePointer<uv_poll_t>?
    private var isClosed = false

    init() throws(ReactorError) {
        alarm = try Alarm()
        try LoopHandles.checkDescriptors()
        signals = LoopHandles.endingSignals.map { _ in .allocate(capacity: 1) }
        var code = uv_loop_init(loop)
        if code == 0 {
            code = uv_async_init(loop, async, Reactor.wasWoken)
            // Only descriptors running out makes these fail, and the loop is of no use then.
            for handle in signals where code == 0 { code = uv_signal_init(loop, handle) }
            if code == 0 { code = uv_poll_init(loop, alarm.handle, alarm.descriptor) }
        }
        guard code == 0 else { throw .loop(code: code) }
        uv_check_init(loop, check)
        uv_idle_init(loop, idle)
        uv_timer_init(loop, timer)
    }

    /// With its first loop libuv makes a pipe for signals, and where it cannot it ends the process: so that is tried
    /// before, with one descriptor more for the loop itself.
    ///
    /// - Throws: `.loop` where the system has too few descriptors to give.
    private static func checkDescriptors() throws(ReactorError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .loop(code: -errno) }
        let third = dup(ends[0])
        let code = third < 0 ? -errno : 0
        for descriptor in ends + [third] where descriptor >= 0 { close(descriptor) }
        guard code == 0 else { throw .loop(code: code) }
    }

    /// The loop's time in milliseconds, as of this turn.
    var now: UInt64 { uv_now(loop) }

    /// From now on the callbacks reach this reactor.
    func start(for reactor: Reactor) {
        loop.pointee.data = Unmanaged.passUnretained(reactor).toOpaque()
        uv_check_start(check, Reactor.turnIsOver)
        uv_timer_start(timer, Reactor.tickIsDue, LoopHandles.tick, LoopHandles.tick)
        uv_poll_start(alarm.handle, Int32(UV_READABLE.rawValue), Reactor.alarmRang)
        for (handle, number) in zip(signals, LoopHandles.endingSignals)
        where number != SIGHUP || !LoopHandles.isIgnored(number) {
            uv_signal_start(handle, Reactor.signalCame, number)
        }
    }

    /// True for a signal that whoever started the program wants ignored, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs until every handle is closed.
    func run() { uv_run(loop, UV_RUN_DEFAULT) }

    /// Frees the loop, whose handles were told to close.
    func finish() {
        run()
        uv_loop_close(loop)
        loop.deallocate()
        async.deallocate()
        check.deallocate()
        idle.deallocate()
        timer.deallocate()
        for handle in signals { handle.deallocate() }
    }

    /// Makes the next poll return at once.
    func startIdling() { uv_idle_start(idle) { _ in } }

    func stopIdling() { uv_idle_stop(idle) }

    /// Prepares a handle for a descriptor; false when the system refuses.
    func watch(_ handle: UnsafeMutablePointer<uv_poll_t>, _ descriptor: Int32) -> Bool {
        uv_poll_init(loop, handle, descriptor) == 0
    }

    /// Watches the listening socket, if that is not done already; false when the system refuses.
    func startListening(_ descriptor: Int32) -> Bool {
        guard listener == nil, !isClosed else { return true }
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard watch(handle, descriptor) else {
            handle.deallocate()
            return false
        }
        listener = handle
        return uv_poll_start(handle, Int32(UV_READABLE.rawValue), Reactor.clientIsWaiting) == 0
    }

    func stopListening() {
        guard let listener else { return }
        self.listener = nil
        listener.withHandle { uv_close($0) { $0?.deallocate() } }
    }

    /// Tells every handle to close.
    func closeAll() {
        guard !isClosed else { return }
        isClosed = true
        stopListening()
        async.withHandle { uv_close($0, nil) }
        check.withHandle { uv_close($0, nil) }
        idle.withHandle { uv_close($0, nil) }
        timer.withHandle { uv_close($0, nil) }
        alarm.handle.withHandle { uv_close($0, nil) }
        for handle in signals { handle.withHandle { uv_close($0, nil) } }
    }
}

extension UnsafeMutablePointer {
    /// The pointer as libuv's base type; every handle begins with the same members.
    func withHandle(_ body: (UnsafeMutablePointer<uv_handle_t>) -> Void) {
        body(UnsafeMutableRawPointer(self).assumingMemoryBound(to: uv_handle_t.self))
    }
}
