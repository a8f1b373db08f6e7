import Glibc

/// A descriptor that is readable once the program stops, so that no wait outlasts it.
package final class StopSignal: Sendable {
    /// The descriptor to poll.
    let descriptor: Int32
    private let writeEnd: Int32

    /// Makes the signal; nil where the system has no descriptors for it.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (descriptor, writeEnd) = (ends[0], ends[1])
    }

    deinit { for end in [descriptor, writeEnd] { close(end) } }

    /// Ends all waits, those that begin later too.
    package func raise() {
        var byte: UInt8 = 0
        _ = write(writeEnd, &byte, 1)
    }
}
