import Foundation

/// What a process's first thread had of the cores so far, in nanoseconds. Exact once the thread waits for something.
struct Schedule {
    /// How long it ran.
    var worked: UInt64 = 0
    /// How long it was ready to run and had no core.
    var waited: UInt64 = 0

    /// As the kernel tells it; zeros when there is no such process.
    static func of(_ pid: Int32) -> Schedule {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/schedstat", encoding: .utf8)) ?? ""
        let figures = text.split(separator: " ").compactMap { UInt64($0) }
        return figures.count < 2 ? Schedule() : Schedule(worked: figures[0], waited: figures[1])
    }
}
