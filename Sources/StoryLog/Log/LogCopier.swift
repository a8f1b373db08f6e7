import CLMDB
import Glibc
package import StoryCore
import StoryStorage

/// Copies a log into a new data directory while it is appended to: all of it up to one commit.
///
/// It may run on any one thread. The models are not copied; the first start folds them.
package final class LogCopier: Sendable {
    private let environment: Environment
    private let tail: JournalTail?

    /// - Parameter tail: what the journal holds beyond the environment.
    init(_ environment: Environment, _ tail: JournalTail?) {
        self.environment = environment
        self.tail = tail
    }

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
        if let tail { try add(tail, to: draft + "/log") }
        try Folder.sync(draft + "/log")
        try FormatFile.create(draft)
        let position = try head(of: draft)
        try Folder.sync(draft)
        try Folder.rename(draft, to: path)
        return position
    }

    /// Copies page by page. Without `CP_COMPACT` it would wait for the write transaction, which stays open for long.
    private func copy(to path: String) throws(StorageError) {
        let file = try FileHandle(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        let code = mdb_env_copyfd2(environment.raw, file.descriptor, UInt32(MDB_CP_COMPACT))
        try LMDBError.check(code, "copying to \(path)")
        try file.sync(path)
    }

    /// Adds what the journal held when the copying began; the environment may have taken some over meanwhile.
    private func add(_ tail: JournalTail, to path: String) throws(StorageError) {
        let copy = try Environment.open(at: path, EnvironmentOptions())
        defer { copy.close() }
        try LogCopier.add(tail, to: copy)
    }

    private static func add(_ tail: JournalTail, to copy: Environment) throws(StorageError) {
        let transaction = try WriteTransaction(copy)
        var position = try Cursor(transaction.handle, .main).last().flatMap { PositionKey.position($0.key) } ?? 0
        while tail.holds(position + 1) {
            position += 1
            try PositionKey.with(position) { (key) throws(StorageError) in
                try transaction.append(tail.record(at: position), in: .main, at: key)
            }
        }
        try transaction.commit()
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
    /// Copies all that is committed by now, and may copy more; the log must stay open meanwhile.
    package func copier() -> LogCopier { LogCopier(environment, unflushed) }
}
