import CUV
import Glibc

/// Ends a poll after a time for which libuv's timers are too coarse: those count in milliseconds.
final class Alarm {
    let descriptor: Int32
    let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)

    /// - Throws: `.loop` where the system has no descriptor to give.
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

    /// It rings once, so many nanoseconds from now; what it was set to before is forgotten.
    func set(_ nanoseconds: UInt64) { storykeep_set_alarm(descriptor, max(nanoseconds, 1)) }

    /// It rang: it is silent until it is set again.
    func rang() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
