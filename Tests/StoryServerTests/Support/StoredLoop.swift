import Foundation
import LoopSupport
import StoryCore
import StoryLog
import StoryServer
import StoryStorage
import TestSupport

/// The shipped loop over a data directory; the work beside it is done when the test says so.
final class StoredLoop {
    let store: OpenStore
    let loop: DrivenLoop
    let held = HeldBackground()
    let commits = HeldCommits(isHeld: false)

    init(_ path: String, _ limits: Limits = Limits(), find: FindSetting = .auto) throws {
        let (clock, woken) = (DrivenClock(), WakeFlag())
        store = try OpenStore(
            path, journal: 1 << 16, clock: clock.clock, trace: Trace(now: { Instant(milliseconds: 0) }) { _ in },
            background: held.background, whenFlushed: woken.set)
        loop = try DrivenLoop(
            limits, clock, log: store.log, models: store.models, modelFolders: store.modelFolders,
            logWork: LogJobs(store.log, store.models),
            commits: commits, background: held.background, holdRight: store.holdRight, woken: woken,
            find: find)
        commits.whenDone = loop.wake
        loop.connected("a")
    }

    /// Turns go by, and all work beside the loop is done, until nothing is left to do.
    func settle() {
        repeat {
            while held.count > 0 {
                held.run(0)
                loop.run()
            }
            loop.tick()
        } while held.count > 0
    }

    /// Sends a line, and takes what was heard once all work is done.
    func settled(_ line: String) -> [String] {
        loop.send(line, from: "a")
        settle()
        return loop.hear("a")
    }

    /// Seconds go by, a minute at most, until something is so; false where it is not then.
    func pass(until isSo: () -> Bool) -> Bool {
        for _ in 0..<60 where !isSo() {
            loop.tick(10)
            settle()
        }
        return isSo()
    }

    /// The rounds of the scrub, and the seconds since the last one, as METRICS tells them.
    var scrubs: (count: Int, age: Int) {
        let text = loop.ask("METRICS", from: "a").joined()
        func value(_ name: String) -> Int {
            text.components(separatedBy: "\(name) ").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }.last
                ?? -1
        }
        return (value("storykeep_model_scrubs_total"), value("storykeep_model_scrub_age_seconds"))
    }

    func stop() {
        settle()
        end()
    }

    /// Ends without the work that is still to be done beside the loop.
    func end() {
        loop.close("a")
        loop.server.end()
        store.close()
    }
}
