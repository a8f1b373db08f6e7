package import StoryCore
package import StoryServer
package import StoryStorage
package import TestSupport

/// The shipped loop over memory: no socket, no file, and a clock and a disk that the test drives.
package final class LoopBench: DrivenLoop {
    /// What a slow sync takes, in nanoseconds: far more than what the loop waits for.
    package static let slowSync: UInt64 = 3_000_000
    /// What a quick one takes, in nanoseconds.
    package static let quickSync: UInt64 = 100_000

    package let log = MemoryEventLog()
    package let models = MemoryModels()
    package let modelFolders = MemoryModelFolders()
    package let commits = HeldCommits(isHeld: false)

    /// - Parameters:
    ///   - limits: what clients meet.
    ///   - follow: the source of a replica.
    ///   - seal: the seal at every position.
    ///   - node: the node of a cluster that the store is.
    ///   - background: where work beside the loop runs.
    package init(
        _ limits: Limits = Limits(), follow: String? = nil, seal: String = "", node: ClusterNode? = nil,
        background: BackgroundStarter = .threads
    ) {
        let work = LogJobs(verify: { _, _, _ in { [] } }, backUp: { _, _ in { [] } }, seal: { _ in { seal } })
        do throws(StorageError) {
            try super.init(
                limits, log: log, models: models, modelFolders: modelFolders, logWork: work, commits: commits,
                background: background, follow: follow, node: node)
        } catch {
            preconditionFailure("models in memory are read: \(error)")
        }
        log.whenFlushed = wake
        commits.whenDone = wake
    }

    /// Ends turns until the checkpoint under way is stored, or failed.
    package func awaitStoring() { while server.isStoring { run() } }

    /// From now on commits go beside the loop and end when `commits.end()` says so; writes one event for it.
    package func makeDiskSlow() {
        connected("disk")
        commits.duration = LoopBench.slowSync
        clock.setStep(nanoseconds: LoopBench.slowSync)
        _ = ask(#"APPEND disk-1 {"type":"Slowed","data":{}}"#, from: "disk")
        clock.setStep(nanoseconds: 100)
        commits.isHeld = true
    }

    /// The flush beside the loop ends, and the loop is told.
    package func endFlush() {
        log.endFlush()
        run()
    }

    /// The commit beside the loop ends, and the loop is told.
    ///
    /// - Parameter isRunOn: whether turns go by then until nothing is left to do.
    package func endCommit(isRunOn: Bool = true) {
        commits.end()
        server.woken()
        if isRunOn { run() }
    }
}
