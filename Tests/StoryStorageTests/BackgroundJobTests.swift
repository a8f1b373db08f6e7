import Glibc
import StoryCore
import TestSupport
import Testing

@testable import StoryStorage

struct BackgroundJobTests {
    /// What a piece of work may use, like a view of a file that its waiter closes.
    private final class Used: Sendable {}

    @Test func `what the work holds is let go of before its result can be seen`() {
        let held = HeldBackground()
        weak var used: Used?
        let job = BackgroundJob(on: held.background, work(using: &used), whenDone: {})
        expect(used != nil)
        // The piece that was started still waits, and holds what it will run.
        expect(held.count == 1)
        expect((try? job.wait().get()) == 1)
        expect(used == nil)
    }

    @Test func `what is refused holds nothing any more`() {
        weak var used: Used?
        let none = BackgroundStarter { _ in false }
        let job = BackgroundJob(on: none, work(using: &used), whenDone: {})
        expect(used == nil)
        expect((try? job.wait().get()) == nil)
    }

    @Test func `a nice thread steps back behind the one that started it, alone`() throws {
        let before = BackgroundJobTests.niceness
        let job = BackgroundJob(
            on: .niceThreads, { () throws(StorageError) in BackgroundJobTests.niceness }, whenDone: {})
        // Whoever waits for work that has not begun does it.
        while job.result == nil { usleep(1_000) }
        expect(try job.wait().get() == max(before, BackgroundStarter.niceness))
        expect(BackgroundJobTests.niceness == before)
    }

    /// How nice this thread is.
    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    private func work(using used: inout Used?) -> @Sendable () throws(StorageError) -> Int {
        let made = Used()
        used = made
        return { withExtendedLifetime(made) { 1 } }
    }
}
