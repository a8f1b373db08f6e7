import CUV
import Synchronization

/// A handle to wake a reactor from any thread, without effect once the reactor has stopped.
package final class Waker: Sendable {
    private let handle: Mutex<UnsafeMutablePointer<uv_async_t>?> = Mutex(nil)

    init() {}

    /// Makes the reactor call `woken()`, once for all calls that come before it.
    package func wake() {
        handle.withLock { handle in
            // It fails only for a handle that is closing, which was detached before.
            if let handle { uv_async_send(handle) }
        }
    }

    /// Sets the handle that `wake()` reaches; nil for none.
    func attach(_ target: UnsafeMutablePointer<uv_async_t>?) {
        // The pointer crosses as a number, because pointers do not cross isolation.
        let address = UInt(bitPattern: target)
        handle.withLock { $0 = UnsafeMutablePointer(bitPattern: address) }
    }
}
