import Glibc
import Synchronization

/// The signals that interrupt a run (Ctrl-C, SIGTERM, a terminal that hangs up), as a descriptor to wait for; the
/// second one ends the process at once.
enum Interruption {
    /// The work that is done even before an end at once.
    private static let abruptEnd = Mutex<(@Sendable () -> Void)?>(nil)
    /// True while the first signal ends the process.
    private static let endsAtOnce = Atomic<Bool>(false)
    /// The microseconds in which several signals count as one: `timeout` signals a process and then its group.
    private static let sameMoment: UInt32 = 200_000

    /// Sets the work that is done before the process ends at once, such as restoring the terminal.
    static func beforeAbruptEnd(_ work: @escaping @Sendable () -> Void) { abruptEnd.withLock { $0 = work } }

    /// Begins to wait for signals and returns a descriptor that becomes readable with the first one; −1 when the system
    /// refuses.
    static func start() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return -1 }
        var signals = interruptingSignals()
        // The signals are blocked here, and so in every thread that is created later; only the thread below takes them.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var thread = pthread_t()
        let writeEnd = UnsafeMutableRawPointer(bitPattern: Int(ends[1]))
        let result = pthread_create(&thread, nil, { Interruption.wait($0) }, writeEnd)
        guard result == 0 else {
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return -1
        }
        return ends[0]
    }

    /// Waits for the given time; true at once when a signal came on the descriptor.
    static func came(within pause: Duration, on descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = pause.components.seconds * 1_000 + pause.components.attoseconds / 1_000_000_000_000_000
        return poll(&waiting, 1, Int32(clamping: milliseconds)) > 0
    }

    /// Does work that only reads, and does not poll the descriptor: the first signal ends the process.
    static func endingAtOnce<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        endsAtOnce.store(true, ordering: .sequentiallyConsistent)
        defer { endsAtOnce.store(false, ordering: .sequentiallyConsistent) }
        return try work()
    }

    private static func wait(_ writeEnd: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        var signals = interruptingSignals()
        var signal: Int32 = 0
        sigwait(&signals, &signal)
        if !endsAtOnce.load(ordering: .sequentiallyConsistent) {
            close(Int32(truncatingIfNeeded: Int(bitPattern: writeEnd)))
            usleep(sameMoment)
            var none = timespec()
            while sigtimedwait(&signals, nil, &none) > 0 {}
            sigwait(&signals, &signal)
        }
        abruptEnd.withLock { $0?() }
        StatusLine.eraseAtOnce()
        _exit(ExitCode.interrupted.rawValue)
    }

    private static func interruptingSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        if !isIgnored(SIGHUP) { sigaddset(&signals, SIGHUP) }
        return signals
    }

    /// Returns true when the parent process set the signal to be ignored, as `nohup` does.
    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
