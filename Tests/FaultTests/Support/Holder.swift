import StoryCore
import StoryLog
import StoryStore
import StoryStorage

/// Has the environments of a store open, in a process that is not the daemon's, with a view of each.
final class Holder {
    private let log: LMDBEventLog
    private let models: ModelSnapshot

    init(_ path: String) throws {
        let directory = try DataDirectory(path, for: .reading)
        log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 1))
        models = try ModelSnapshot(in: directory, tables: Catalogue.standard.tables)
    }

    /// The log's end, as it is seen beside a daemon that runs, or was killed.
    func head() throws -> UInt64 {
        try log.refresh()
        return log.head.value
    }

    deinit {
        models.close()
        log.close()
    }
}
