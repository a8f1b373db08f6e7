import Glibc
import Synchronization

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
