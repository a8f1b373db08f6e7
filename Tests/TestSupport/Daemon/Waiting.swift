import Foundation
import Glibc

/// How long tests wait for what must come: so long that a busy machine does not decide, and a hang still ends.
package enum TestTimeout {
    /// The limit for what takes a second or less on a quiet machine: a minute, or `STORYKEEP_TEST_LIMIT` seconds where
    /// builds are slow or loads are long.
    package static let seconds =
        ProcessInfo.processInfo.environment["STORYKEEP_TEST_LIMIT"].flatMap { Int($0) } ?? 60
    package static let duration = Duration.seconds(seconds)
    /// The limit for a whole load of a thread or a run of a program.
    package static let secondsOfWork = 10 * seconds
}

/// Waits for a condition.
package func until(
    _ what: @autoclosure () -> String, within seconds: Int = TestTimeout.seconds, _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw TookTooLong(what: "\(what()), within \(seconds) s") }
        usleep(1_000)
    }
}

/// Waits for a condition without holding one of the tasks' threads.
package func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + TestTimeout.duration
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TookTooLong(what: "\(what), within \(TestTimeout.seconds) s")
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// How long something took on this machine a moment ago: limits on time are multiples of it.
package struct Yardstick {
    private let taken: Duration

    /// Measures the longest of three runs.
    package init(_ work: () throws -> Void) rethrows {
        taken = try (0..<3).map { _ in try ContinuousClock().measure(work) }.max() ?? .zero
    }

    /// A multiple of what was measured, and no less than a quiet machine always keeps.
    package func limit(_ times: Int, atLeast least: Duration) -> Duration { max(taken * times, least) }
}

/// Something that a test waited for in vain.
package struct TookTooLong: Error, CustomStringConvertible {
    package let what: String
    package init(what: String) { self.what = what }
    package var description: String { "it took too long: \(what)" }
}

/// The system refused a call of the test's.
package struct SystemRefused: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call) failed with errno \(code)" }
}
