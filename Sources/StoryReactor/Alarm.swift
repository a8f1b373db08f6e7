import CUV
import Glibc

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
