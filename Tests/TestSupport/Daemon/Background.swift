import Foundation
import Synchronization

/// Something done on a thread of its own.
package final class Background: Sendable {
    private let isDone = Mutex(false)

    package init(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            body()
            isDone.withLock { $0 = true }
        }
        thread.start()
    }

    /// Waits for its end.
    package func join(within seconds: Int = TestTimeout.secondsOfWork) throws {
        try until("a thread ends", within: seconds) { isDone.withLock { $0 } }
    }
}
