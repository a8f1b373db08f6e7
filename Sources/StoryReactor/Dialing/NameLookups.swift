import CUV
import Glibc
import StoryCore
import StoryNetwork
import Synchronization

/// The look-ups of host names, each on a thread of its own: the system's function waits for name servers.
///
/// A thread that still waits when the reactor has ended finds a waker without a loop, and its result is dropped.
final class NameLookups: Sendable {
    /// The number of addresses of one name that are tried.
    private static let mostOfName = 8
    /// The largest number of look-ups whose results are not taken; more are refused.
    static let most = 16

    typealias Found = Result<[ResolvedAddress], ResolveError>

    private struct State {
        /// The number of look-ups that are under way, or whose results wait.
        var count = 0
        var ended: [(id: ConnectionID, found: Found)] = []
    }

    private let state = Mutex(State())
    private let waker: Waker

    /// Creates look-ups that wake a loop when they have ended.
    init(_ waker: Waker) { self.waker = waker }

    /// Begins to look up a name.
    ///
    /// - Returns: false where the system has no thread for it, or too many are under way.
    func begin(_ id: ConnectionID, _ address: HostAndPort) -> Bool {
        let hasRoom = state.withLock { state in
            guard state.count < NameLookups.most else { return false }
            state.count += 1
            return true
        }
        guard hasRoom else { return false }
        let isStarted = DetachedThread.start { [self] in
            let found = Result { () throws(ResolveError) in
                Array(try ResolvedAddress.resolve(address).prefix(NameLookups.mostOfName))
            }
            state.withLock { $0.ended.append((id, found)) }
            waker.wake()
        }
        if !isStarted { state.withLock { $0.count -= 1 } }
        return isStarted
    }

    /// Returns the results since the last call.
    func take() -> [(id: ConnectionID, found: Found)] {
        state.withLock { state in
            defer { state.ended = [] }
            state.count -= state.ended.count
            return state.ended
        }
    }
}

/// A thread that nobody waits for.
private enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread; false where the system has none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if code != 0 { work.release() }
        return code == 0
    }
}
