import Glibc
import Synchronization
import TestSupport

/// A thread of a client that goes on until it is told to end.
final class ChaosThread: Sendable {
    private let isEnding = Mutex(false)
    private let thread = Mutex<Background?>(nil)

    /// Starts it.
    ///
    /// - Parameter body: the work of the client, which asks now and then whether it is to end.
    init(_ body: @escaping @Sendable (_ isEnding: () -> Bool) -> Void) {
        let work = Background { [self] in body { isEnding.withLock { $0 } } }
        thread.withLock { $0 = work }
    }

    /// Has it end, and waits for that.
    func end() throws {
        isEnding.withLock { $0 = true }
        try thread.withLock { $0 }?.join()
    }

    /// Connects to a node; nil after a moment where nobody greets.
    static func connected(_ socket: String) -> LineSocket? {
        if let client = try? LineSocket(socket), (try? client.line()) != nil { return client }
        usleep(20_000)
        return nil
    }
}
