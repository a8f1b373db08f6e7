package import Glibc

/// The kernel's figure of a process's first thread, which in a daemon is the loop.
package struct ProcessorTime {
    /// How long it has run; the time for which it waited for a processor does not count.
    package let ran: Duration

    package init(_ pid: pid_t) {
        let text = Files.text("/proc/\(pid)/schedstat")
        ran = .nanoseconds(text.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
}
