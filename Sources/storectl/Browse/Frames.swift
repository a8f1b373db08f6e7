import Glibc
import StoryBrowser
import StoryClient
import Synchronization

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
