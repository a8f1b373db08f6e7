import Glibc
import LoopSupport
import StoryCore
import StoryServer
import StoryStorage
import TestSupport

/// A file of the store that somebody else has moved away.
struct MovedFile {
    let path: String
    /// How many ticks the process has run without it.
    var ticks = 0

    /// The place where it is meanwhile.
    var aside: String { path + ".aside" }
}

// Other processes at the data directory.
extension Simulation {
    /// Another daemon is started on the directory.
    ///
    /// - Throws: where it may serve what is served.
    func startSecond(_ process: SimulatedProcess) throws {
        guard !disk.isDead, !process.isStopped, process.stopReason == nil else { return }
        // Somebody takes the file for a stale one.
        if aside == nil, random.oneIn(2) { try disk.move("store/lock", to: "store/lock.old") }
        do throws(StorageError) {
            let other = try OpenStore(
                "store", journal: habits.journal, clock: clock.clock,
                trace: Trace(now: { Instant(milliseconds: 0) }) { _ in },
                background: HeldBackground().background)
            other.close()
        } catch {
            // The reason names the process, which is of the system, and not of the seed.
            if case .held = error { return story.add("a second process is kept away") }
            // One process opens no environment twice: where it comes to that, another process would serve.
            guard disk.isDead || !disk.struck.isEmpty else {
                throw Difference("a second process is not kept away: \(error)")
            }
            return
        }
        guard disk.isDead else { throw Difference("two processes serve one directory") }
    }

    /// A file of the store is moved away, or put back under the process that runs.
    func moveAway() throws {
        if aside != nil { return try putBack() }
        guard !disk.isDead else { return }
        // The files that a process has to notice the loss of.
        let file = MovedFile(
            path: random.pick("store/lock", "store/log.journal", "store/log/data.mdb", "store/models/data.mdb"))
        story.add("\(file.path) is moved away")
        try disk.move(file.path, to: file.aside)
        (aside, wasMoved) = (file, true)
    }

    /// True while nothing was done to the files of the process that makes it fail.
    var isUntouched: Bool { disk.struck.isEmpty && !wasMoved && !answers.areRowsSuspect }

    /// What was moved away is put back, and pages that were changed are right again.
    func putBack() throws {
        if let changed { disk.changeBelow { changed.putRight() } }
        guard let file = aside.take() else { return }
        story.add("\(file.path) is put back")
        try disk.move(file.aside, to: file.path)
    }

    /// A tenth of a second went by.
    ///
    /// - Throws: where the process serves on without a file that it has lost.
    func ticked(_ process: SimulatedProcess) throws {
        guard let file = aside, !disk.isDead, !process.isStopped, process.stopReason == nil else { return }
        aside?.ticks += 1
        // A full disk may have no room for another `lock`, and the directory is locked itself.
        let mayBeMissing = file.path == "store/lock" && (disk.fullness != .none || !disk.struck.isEmpty)
        // Models that are about to be replaced get their name from others, once the work beside the loop has ended.
        let isReplaced = file.path == "store/models/data.mdb" && process.isReplacing
        guard file.ticks >= 20, !mayBeMissing, !isReplaced, access(file.path, F_OK) != 0 else { return }
        throw Difference("\(file.path) was moved away two seconds ago, and the process serves on")
    }
}
