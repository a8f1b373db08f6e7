import FoundationEssentials
import Glibc
import StoryBrowser
import StoryClient
import Synchronization

/// The loop of the thread that owns the terminal: it reads keys, checks the terminal's size, and draws.
struct ScreenLoop {
    /// The milliseconds for which an Escape byte may be the beginning of another key.
    private let keyPause: Int32 = 50
    /// The milliseconds between checks of the terminal's size.
    private let sizePause: Int32 = 200

    let terminal: RawTerminal
    let frames: Frames<BrowserState>
    let input: AsyncStream<BrowserMessage>.Continuation
    let interruption: Int32
    private var keys = KeyDecoder()
    private var encoder: ScreenEncoder
    private var size: Size
    /// The screen that was drawn last.
    private var screen: Screen?
    /// The time of the last byte of a key.
    private var lastTyped = ContinuousClock.now

    init(
        _ terminal: RawTerminal, _ frames: Frames<BrowserState>, _ input: AsyncStream<BrowserMessage>.Continuation,
        interruption: Int32
    ) {
        (self.terminal, self.frames, self.input, self.interruption) = (terminal, frames, input, interruption)
        encoder = ScreenEncoder(hasColours: Terminal.areColoursWanted)
        size = terminal.size
    }

    /// Runs until the application ends, a signal interrupts the process, or the terminal is gone.
    mutating func run() -> ExitCode {
        guard terminal.send(Array(ScreenEncoder.entering.utf8), unless: interruption) else { return .interrupted }
        input.yield(.resized(size))
        while true {
            var polled = [STDIN_FILENO, frames.ready, interruption, Suspension.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let count = poll(&polled, 4, keys.isWaiting ? keyPause : sizePause)
            if count < 0, errno != EINTR { return .interrupted }
            if polled[2].revents != 0 { return .interrupted }
            if let signal = Suspension.take(), !pause(signal) { return .interrupted }
            look()
            if count > 0, polled[0].revents != 0, !type() { return .interrupted }
            // The time since the last byte counts, so that a list that moves all the time makes no difference.
            if keys.isWaiting, ContinuousClock.now - lastTyped >= .milliseconds(keyPause) {
                keys.flush().forEach { input.yield(.key($0, at: Date())) }
            }
            guard let state = frames.take() else { continue }
            switch state.ending {
            case .quit: return .done
            case .interrupted: return .interrupted
            case nil: break
            }
            screen = state.screen
            guard draw() else { return .interrupted }
        }
    }

    /// Draws the screen over the one that the terminal shows; false when the terminal is gone.
    private mutating func draw() -> Bool {
        screen.map { terminal.send(encoder.bytes(for: $0), unless: interruption) } ?? true
    }

    /// Leaves the terminal to the shell while the process is stopped, and draws the screen again; false when the terminal
    /// is gone.
    private mutating func pause(_ signal: Suspension.Signal) -> Bool {
        terminal.pause(signal)
        encoder = ScreenEncoder(hasColours: Terminal.areColoursWanted)
        return terminal.send(Array(ScreenEncoder.entering.utf8), unless: interruption) && draw()
    }

    /// Sends the terminal's size to the application when it has changed.
    private mutating func look() {
        let now = terminal.size
        guard now != size else { return }
        size = now
        input.yield(.resized(now))
    }

    /// Sends the pressed keys to the application; false when the terminal is gone.
    private mutating func type() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        guard count > 0 else { return false }
        lastTyped = .now
        for key in keys.keys(bytes.prefix(count)) {
            if key == .control("z") {
                guard pause(.stop) else { return false }
            } else {
                input.yield(.key(key, at: Date()))
            }
        }
        return true
    }
}

/// The newest state of an application, on its way to the thread that draws: a state is skipped when the next one comes
/// before it is drawn.
final class Frames<State: Sendable>: Renderer {
    private let newest = Mutex<State?>(nil)
    /// The descriptor that is readable when there is a state to draw.
    let ready: Int32
    private let waker: Int32

    init() throws(CommandError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (ready, waker) = (ends[0], ends[1])
    }

    deinit {
        close(ready)
        close(waker)
    }

    func render(_ state: State) {
        newest.withLock { $0 = state }
        var byte: UInt8 = 0
        // A pipe that is full has woken the thread already.
        _ = write(waker, &byte, 1)
    }

    /// Takes the newest state; nil when it was taken already.
    func take() -> State? {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(ready, &bytes, bytes.count) > 0 {}
        return newest.withLock { state in
            defer { state = nil }
            return state
        }
    }
}
