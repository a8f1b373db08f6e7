import Glibc
package import StoryCore

/// One store's folder: `FORMAT`, `lock`, `log/`, `log.journal` and `models/`.
package final class DataDirectory {
    /// What a process wants of a data directory.
    package enum Access: Sendable {
        /// To serve it: made when it is not there, and held.
        case serving
        /// To read it beside a daemon: must be there, and is not held.
        case reading
    }

    /// The folder, as it was given.
    package let path: String
    /// What this process wants of it.
    package let access: Access
    private var lock: DirectoryLock?
    /// The layout of what lies in it.
    package private(set) var format = FormatFile.version
    /// The file system of the directory.
    package let fileSystem: FileSystemKind
    /// True where this start made a store of it.
    private var isNew = false
    /// The folders that this start made: itself, and those above it.
    private let madeFolders: [String]

    /// Throws `.held` when another process has it, `.failed` when it is not fit to hold a store.
    package init(_ path: String, for access: Access) throws(StorageError) {
        self.path = path
        self.access = access
        madeFolders = access == .serving ? try Folder.makeAll(path) : []
        guard Folder.exists(path) else { throw .failed("there is no data directory at \(path)") }
        let folder = try DataDirectory.opened(path, removing: madeFolders)
        fileSystem = try FileSystemKind.check(folder, path)
        do throws(StorageError) {
            try hold(folder)
        } catch {
            discardFolders()
            throw error
        }
    }

    private func hold(_ folder: consuming FileHandle) throws(StorageError) {
        guard access == .serving || FormatFile.exists(path) else { throw .failed("\(path) is no data directory") }
        if access == .serving {
            try DataDirectory.checkForeign(path)
            lock = try DirectoryLock.take(folder, path)
            for folder in [path, logPath, modelsPath] { CopyOnWrite.turnOff(in: folder) }
            // What is acknowledged from now on must not hang on a name that is nowhere but in the system's cache.
            try Folder.syncNames(of: path)
        } else if Folder.isReadOnly(path) {
            lock = try DirectoryLock.keepingDaemonsAway(from: folder, path)
        }
        try checkFormat()
    }

    /// Where the log's environment is.
    package var logPath: String { path + "/log" }
    /// Where the models' environment is.
    package var modelsPath: String { path + "/models" }
    /// Where the newest commits are.
    package var journalPath: String { path + "/log.journal" }

    /// Holds the right to serve it still, whatever was removed, moved or put back meanwhile.
    ///
    /// - Throws: `.held` or `.failed` where the right is lost.
    package func renew() throws(StorageError) { try lock?.renew() }

    /// Lets another process have it. Close the log and the models before.
    package func close() { lock = nil }

    /// Removes what this start made, when nothing was stored in it; log and models are closed.
    package func discardNew() {
        guard isNew else { return close() }
        Folder.emptyStore(path)
        Folder.removeEmpty(madeFolders)
        close()
    }

    /// Removes the folders that this start made, unless somebody has made a store of them meanwhile.
    private func discardFolders() {
        if !madeFolders.isEmpty, lock != nil, !FormatFile.exists(path) {
            for name in ["FORMAT.tmp", "lock"] { unlink("\(path)/\(name)") }
        }
        Folder.removeEmpty(madeFolders)
        close()
    }

    /// Says that what lies in it has this program's layout now.
    ///
    /// - Throws: `.full` or `.failed` where that cannot be written.
    package func raiseFormat() throws(StorageError) {
        guard format < FormatFile.version else { return }
        try FormatFile.create(path)
        format = FormatFile.version
    }

    private func checkFormat() throws(StorageError) {
        if FormatFile.exists(path) {
            format = try FormatFile.check(path)
            guard format == FormatFile.version || access == .serving else {
                throw .failed(
                    "\(path) has format \(format), which a daemon converts to \(FormatFile.version): start stored on it"
                )
            }
            return
        }
        guard !Folder.exists(logPath), !Folder.exists(modelsPath) else {
            throw .corrupt("\(path) holds a log or models, but its file FORMAT is gone", at: nil)
        }
        // A journal may be all that is left of a store: whatever comes of this start, it is not to be removed.
        let hasJournal = Folder.exists(journalPath)
        try FormatFile.create(path)
        isNew = !hasJournal
    }

    /// Files of something else are not taken over: who names such a folder most likely meant another one.
    private static func checkForeign(_ path: String) throws(StorageError) {
        let foreign = try Folder.names(in: path).first { !DataDirectory.ownNames.contains($0) }
        guard let foreign, !FormatFile.exists(path) else { return }
        throw .failed("\(path) is no data directory, and not empty: \(foreign) is in it; name a new directory")
    }

    /// What a store may have before it has its format: a start that failed leaves some of it, and file systems the last.
    private static let ownNames: Set = ["lock", "log", "models", "log.journal", "FORMAT.tmp", "lost+found"]

    /// Opens the folder. Nobody else may write to it, and its file system must be one of this machine.
    ///
    /// - Parameter made: the folders that are removed where that is not so.
    private static func opened(_ path: String, removing made: [String]) throws(StorageError) -> FileHandle {
        do throws(StorageError) {
            let folder = try FileHandle(path, O_RDONLY | O_DIRECTORY)
            try check(folder, path)
            return folder
        } catch {
            Folder.removeEmpty(made)
            throw error
        }
    }

    private static func check(_ folder: borrowing FileHandle, _ path: String) throws(StorageError) {
        let status = try folder.status(path)
        guard status.st_uid == geteuid() else {
            throw .failed("\(path) belongs to uid \(status.st_uid), not to uid \(geteuid())")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .failed("\(path) may be written by its group or by everybody: chmod 700 it")
        }
        _ = try FileSystemKind.check(folder, path)
    }
}
