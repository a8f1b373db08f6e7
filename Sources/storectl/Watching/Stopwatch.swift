import Glibc

/// The display of elapsed time while another process works and reports no progress; on a terminal only.
enum Stopwatch {
    /// The read end of a pipe that is closed with the work, and the step's name.
    private final class Wait {
        let end: Int32
        let step: String

        init(_ end: Int32, _ step: String) { (self.end, self.step) = (end, step) }
    }

    /// Does the work, and meanwhile shows the step with the elapsed seconds.
    static func run<Result, Failure: Error>(
        _ step: String, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ends: [Int32] = [-1, -1]
        guard StatusLine.isWanted, pipe(&ends) == 0 else { return try work() }
        var thread = pthread_t()
        let wait = Unmanaged.passRetained(Wait(ends[0], step)).toOpaque()
        let isMade = pthread_create(&thread, nil, { Stopwatch.show($0) }, wait) == 0
        if !isMade { Unmanaged<Wait>.fromOpaque(wait).release() }
        defer {
            close(ends[1])
            if isMade { pthread_join(thread, nil) }
            close(ends[0])
            StatusLine.erase()
        }
        return try work()
    }

    private static func show(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let wait = Unmanaged<Wait>.fromOpaque(context).takeRetainedValue()
        var seconds = 0
        while !Interruption.came(within: .seconds(1), on: wait.end) {
            seconds += 1
            StatusLine.show("\(wait.step): \(Units.time(seconds: Double(seconds)))")
        }
        return nil
    }
}
