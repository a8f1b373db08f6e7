import Glibc
import StoryCore
import StoryStorage

/// The files of an index of words, in a folder of their own, and the log that they are of.
package struct WordFiles: Sendable {
    /// The folder.
    package let folder: String
    /// The ID of the log's history, 16 bytes.
    package let log: [UInt8]

    /// Names the files of a folder.
    package init(folder: String, log: [UInt8]) { (self.folder, self.log) = (folder, log) }

    /// The path of the database; SQLite keeps a write-ahead log beside it.
    private var database: String { folder + "/words.db" }
    private var all: [String] { ["", "-wal", "-journal", "-shm"].map { database + $0 } }

    /// True where there is a database.
    package var exist: Bool { Folder.exists(database) }

    /// The size of all files, in bytes.
    var bytes: Int {
        all.reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// Makes the folder and an empty database where there is none.
    ///
    /// - Returns: the path of the database, without links above it, none of which SQLite follows.
    /// - Throws: when the system refuses.
    func made() throws(StorageError) -> String {
        try Folder.make(folder)
        _ = try FileHandle(database, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard let resolved = try Folder.resolved(folder) else { throw .failed("\(folder) is gone") }
        return resolved + "/words.db"
    }

    /// Fills the files with zeros; nobody may have them open.
    ///
    /// - Throws: when the system refuses.
    func zero() throws(StorageError) {
        for path in all where Folder.isThere(path) {
            let file = try FileHandle(path, O_WRONLY | O_NOFOLLOW)
            try file.zero(path)
        }
    }

    /// Removes the files; the database goes last.
    ///
    /// - Throws: when the system refuses.
    func remove() throws(StorageError) {
        guard Folder.exists(folder) else { return }
        for path in all.reversed() {
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemError.from(errno, "removing \(path)") }
        }
        try Folder.sync(folder)
    }
}
