import CLMDB
import Glibc
package import StoryCore

/// Copies a log into a new data directory while it is appended to: all of it up to one commit.
///
/// It may run on any one thread. The models are not copied; the first start folds them.
package final class LogCopier: Sendable {
    private let environment: Environment

    init(_ environment: Environment) { self.environment = environment }

    /// Makes the directory, which must not exist, and answers the copy's last position.
    ///
    /// It appears under its name once it is whole and synced.
    package func run(to path: String) throws(StorageError) -> Position {
        guard path.hasPrefix("/") else { throw .failed("\(path) is no absolute path") }
        guard !Folder.exists(path) else { throw .failed("\(path) exists already; name a new directory") }
        let draft = path + ".tmp"
        try Folder.removeEnvironment(draft + "/log")
        try Folder.makeAll(draft)
        try Folder.make(draft + "/log")
        try copy(to: draft + "/log/data.mdb")
        try Folder.sync(draft + "/log")
        try FormatFile.create(draft)
        let position = try head(of: draft)
        try Folder.sync(draft)
        try Folder.rename(draft, to: path)
        return position
    }

    private func copy(to path: String) throws(StorageError) {
        let file = try FileHandle(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        try LMDBError.check(mdb_env_copyfd2(environment.raw, file.descriptor, 0), "copying to \(path)")
        try file.sync(path)
    }

    /// What the copy holds is asked of the copy.
    private func head(of path: String) throws(StorageError) -> Position {
        let directory = try DataDirectory(path, for: .reading)
        let log = try LMDBEventLog(in: directory, now: Instant(milliseconds: 0))
        defer { log.close() }
        return log.head
    }
}

extension LMDBEventLog {
    /// Copies this log; it must stay open meanwhile.
    package func copier() -> LogCopier { LogCopier(environment) }
}
