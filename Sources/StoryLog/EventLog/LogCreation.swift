import StoryStorage
import StoryCore

/// The creation of the files of a new log.
enum LogCreation {
    /// Makes a log and its journal if a data directory has none.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - now: the creation time of the log.
    ///   - journalSize: the size of the journal in bytes.
    ///   - origin: the history that the log continues, as a replica; nil: one of its own.
    /// - Throws: `.corrupt` if the directory holds other files of a log that is gone, `.failed` or `.full` if the files
    ///   cannot be made.
    static func createIfMissing(
        _ directory: DataDirectory, _ now: Instant, _ journalSize: Int, origin: StoredIdentity?
    ) throws(StorageError) {
        guard !Folder.exists(directory.logPath) else { return }
        guard !Folder.exists(directory.modelsPath) else {
            throw .corrupt("\(directory.path) holds models, but its log is gone", at: nil)
        }
        guard try JournalFile.isUnused(directory.journalPath) else {
            throw .corrupt("\(directory.path) holds a journal, but its log is gone", at: nil)
        }
        let identity = if let origin { origin } else { StoredIdentity(id: try RandomBytes.make(LogHeader.idCount)) }
        // The journal is made first, so that a log always has one. A crash between the two leaves an empty journal.
        try JournalFile.create(directory.journalPath, logID: identity.id, fileSize: journalSize)
        try createEnvironment(directory.logPath, identity, created: now)
    }

    /// Makes an environment with a header and no blocks.
    ///
    /// - Throws: `.failed` or `.full` if it cannot be made.
    static func createEnvironment(
        _ path: String, _ identity: StoredIdentity, created: Instant
    ) throws(StorageError) {
        try Environment.create(at: path, EnvironmentOptions()) { (transaction) throws(StorageError) in
            let header = LogHeader(identity: identity, created: created, file: try transaction.fileIdentity())
            try header.bytes.withBytes { (bytes) throws(StorageError) in
                try PositionKey.with(0) { (key) throws(StorageError) in
                    try transaction.put(bytes, in: .main, at: key)
                }
            }
        }
    }
}
