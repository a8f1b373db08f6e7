import CUV
import Glibc

/// The libuv loop and its handles that are not connections; each is valid until its close callback.
final class LoopHandles {
    /// The interval of housekeeping in milliseconds; also the pause of a listener whose clients must wait.
    private static let tick: UInt64 = 100

    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
    private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
    private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    let alarm: Alarm
    /// A handle for each of `endingSignals`.
    private let signals: [UnsafeMutablePointer<uv_signal_t>]
    /// The signals that ask the process to end; the last one comes from a terminal that is closed.
    private static let endingSignals = [SIGTERM, SIGINT, SIGHUP]
    private var isClosed = false

    init() throws(ReactorError) {
        alarm = try Alarm()
        try LoopHandles.checkDescriptors()
        signals = LoopHandles.endingSignals.map { _ in .allocate(capacity: 1) }
        var code = uv_loop_init(loop)
        if code == 0 {
            code = uv_async_init(loop, async, Callbacks.wasWoken)
            // These fail only without free descriptors, and the loop is useless then.
            for handle in signals where code == 0 { code = uv_signal_init(loop, handle) }
            if code == 0 { code = uv_poll_init(loop, alarm.handle, alarm.descriptor) }
        }
        guard code == 0 else { throw .loop(code: code) }
        uv_check_init(loop, check)
        uv_idle_init(loop, idle)
        uv_timer_init(loop, timer)
    }

    /// Checks that three descriptors are free. With its first loop libuv makes a pipe for signals, and ends the process
    /// if it cannot; the third one is for the loop itself.
    ///
    /// - Throws: `.loop` if the system has too few descriptors.
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

    /// Starts the handles, so that their callbacks reach this reactor.
    func start(for reactor: Reactor) {
        loop.pointee.data = Unmanaged.passUnretained(reactor).toOpaque()
        uv_check_start(check, Callbacks.turnIsOver)
        uv_timer_start(timer, Callbacks.tickIsDue, LoopHandles.tick, LoopHandles.tick)
        uv_poll_start(alarm.handle, Int32(UV_READABLE.rawValue), Callbacks.alarmRang)
        for (handle, number) in zip(signals, LoopHandles.endingSignals)
        where number != SIGHUP || !LoopHandles.isIgnored(number) {
            uv_signal_start(handle, Callbacks.signalCame, number)
        }
    }

    /// Returns true if the parent process has made a signal ignored, as `nohup` does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs the loop until every handle is closed.
    func run() { uv_run(loop, UV_RUN_DEFAULT) }

    /// Waits until the handles, which must be closing, are closed, and frees the loop.
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

    /// Makes a handle for a descriptor; nil if the system refuses.
    func watch(_ descriptor: Int32) -> UnsafeMutablePointer<uv_poll_t>? {
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        if uv_poll_init(loop, handle, descriptor) == 0 { return handle }
        handle.deallocate()
        return nil
    }

    /// Begins to close every handle.
    func closeAll() {
        guard !isClosed else { return }
        isClosed = true
        let handles = [async.base, check.base, idle.base, timer.base, alarm.handle.base] + signals.map(\.base)
        for handle in handles { uv_close(handle, nil) }
    }
}

extension UnsafeMutablePointer {
    /// The pointer as libuv's base type; every handle begins with the same members.
    var base: UnsafeMutablePointer<uv_handle_t> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: uv_handle_t.self)
    }
}

/// A timer that ends a poll, in nanoseconds, since libuv's timers count in milliseconds.
final class Alarm {
    let descriptor: Int32
    let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)

    /// Makes a timer that is not set.
    ///
    /// - Throws: `.loop` if the system has no descriptor left.
    init() throws(ReactorError) {
        descriptor = storykeep_alarm()
        guard descriptor >= 0 else {
            let code = -errno
            handle.deallocate()
            throw .loop(code: code)
        }
    }

    deinit {
        handle.deallocate()
        close(descriptor)
    }

    /// Sets the timer to fire once, the given number of nanoseconds from now; replaces an earlier setting.
    func set(_ nanoseconds: UInt64) { storykeep_set_alarm(descriptor, max(nanoseconds, 1)) }

    /// Resets the timer after it fired; it does not fire again until it is set.
    func rang() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
