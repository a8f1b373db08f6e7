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

/// The signals that stop the process and let it go on (Ctrl-Z or `kill -TSTP`, then `fg`), as a descriptor to wait for,
/// so that the terminal is given back before the process stops, and taken again afterwards.
enum Suspension {
    /// A signal that came.
    enum Signal {
        /// The process is asked to stop.
        case stop
        /// The process was stopped, and goes on.
        case goesOn
    }

    /// The end of the pipe that the handler writes to; −1 before `start`.
    private static let writeEnd = Atomic<Int32>(-1)
    private static let readEnd = Atomic<Int32>(-1)
    /// True where the parent process does not let this one stop, as a shell without job control.
    private static let isIgnored = Atomic<Bool>(false)

    /// The descriptor that is readable when a signal came; −1 before `start`, or when the system refuses.
    static var descriptor: Int32 { readEnd.load(ordering: .sequentiallyConsistent) }

    /// Begins to take the signals; until then they have the system's effect.
    static func start() {
        guard descriptor < 0 else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        readEnd.store(ends[0], ordering: .sequentiallyConsistent)
        writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        isIgnored.store(Interruption.isIgnored(SIGTSTP), ordering: .sequentiallyConsistent)
        handle(SIGCONT)
        if !isIgnored.load(ordering: .sequentiallyConsistent) { handle(SIGTSTP) }
    }

    /// Takes the signals that came; nil where none did.
    static func take() -> Signal? {
        var bytes = [UInt8](repeating: 0, count: 64)
        var signal: Signal?
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return signal }
            signal = bytes[..<count].contains(UInt8(SIGTSTP)) || signal == .stop ? .stop : .goesOn
        }
    }

    /// Stops the process and its group, as the terminal does on Ctrl-Z, and returns once it goes on; at once where no
    /// shell could let it go on.
    static func stop() {
        guard !isIgnored.load(ordering: .sequentiallyConsistent) else { return }
        var (usual, own) = (sigaction(), sigaction())
        usual.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(SIGTSTP, &usual, &own)
        kill(0, SIGTSTP)
        sigaction(SIGTSTP, &own, nil)
        _ = take()
    }

    private static func handle(_ signal: Int32) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { signal in
            let before = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = write(Suspension.writeEnd.load(ordering: .relaxed), &byte, 1)
            errno = before
        }
        sigaction(signal, &action, nil)
    }
}
