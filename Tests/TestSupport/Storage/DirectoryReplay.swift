import StoryCore
package import StoryOffline
import StoryStorage

extension DirectoryBench {
    /// Replays the directory as `storectl replay` does.
    package func replay(_ change: (inout Replay.Options) -> Void = { _ in }) throws -> ReplayReport {
        var options = Replay.Options()
        change(&options)
        let directory = try DataDirectory(path, for: .reading)
        return try Replay(directory, catalogue: catalogue, clock: .system).run(options) { _, _ in }
    }

    /// Compares the stored models of a directory with the log, as `storectl replay --verify` does.
    package static func replay(_ path: String) throws -> ReplayReport {
        var options = Replay.Options()
        options.isVerifying = true
        let directory = try DataDirectory(path, for: .reading)
        return try Replay(directory, catalogue: .standard, clock: .system).run(options) { _, _ in }
    }
}
