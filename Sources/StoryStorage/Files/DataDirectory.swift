import Glibc
package import StoryCore

/// The folder of one store: `FORMAT`, `lock`, `log/`, `log.journal` and `models/`.
package final class DataDirectory {
    /// The access that a process needs to a data directory.
    package enum Access: Sendable {
        /// To serve it: the directory is created when it is missing, and locked.
        case serving
        /// To read it beside a daemon: the directory must exist, and is locked only on a read-only file system.
        case reading
    }

    /// The path of the folder, as it was given.
    package let path: String
    /// The access that this process needs.
    package let access: Access
    /// The owner of the history that the directory is made for, where it is to be served.
    private let servedKind: DirectoryKind
    private var lock: DirectoryLock?
    /// The file system of the directory.
    package let fileSystem: FileSystemKind
    /// True when this start created the store.
    private var isNew = false
    /// True for the directory of a store that is served as a node, until `becomeNode`.
    package private(set) var isUnsharedStore = false
    /// The folders that this start created: the directory, and those above it.
    private let madeFolders: [String]

    /// Opens a data directory.
    ///
    /// - Parameters:
    ///   - path: the path of the folder.
    ///   - access: the access that this process needs.
    ///   - kind: the owner of the history that is to be served; a directory to read may be of either.
    /// - Throws: `.held` when another process holds it, `.failed` when it cannot hold a store, or is of the other kind.
    package init(_ path: String, for access: Access, _ kind: DirectoryKind = .store) throws(StorageError) {
        self.path = path
        self.access = access
        servedKind = kind
        let entered = try DataDirectory.entered(path, access)
        (madeFolders, fileSystem) = (entered.made, entered.fileSystem)
        lock = entered.lock
        do throws(StorageError) {
            if access == .serving {
                for folder in [path, logPath, modelsPath] { CopyOnWrite.turnOff(in: folder) }
                // An acknowledged write must not depend on a name that is only in the system's cache.
                try Folder.syncNames(of: path)
            }
            try checkFormat()
        } catch {
            discardFolders()
            throw error
        }
    }

    /// A folder that was opened, with its lock where it has to have one.
    private struct Entered: ~Copyable {
        let made: [String]
        let fileSystem: FileSystemKind
        let lock: DirectoryLock?
    }

    /// Opens and locks the folder, which is made where it is to be served; once more where another start that was refused
    /// has removed it meanwhile.
    private static func entered(_ path: String, _ access: Access) throws(StorageError) -> Entered {
        var (made, tries) = ([String](), 0)
        while true {
            do throws(StorageError) {
                if access == .serving { made += try Folder.makeAll(path) }
                let folder = try opened(path)
                let fileSystem = try FileSystemKind.check(folder, path)
                return Entered(made: made, fileSystem: fileSystem, lock: try locked(folder, at: path, for: access))
            } catch {
                tries += 1
                if access == .serving, tries < mostTries, !Folder.isThere(path) { continue }
                Folder.removeEmpty(made)
                throw error
            }
        }
    }

    /// The most attempts to enter a folder that others remove.
    private static let mostTries = 20

    private static func locked(
        _ folder: consuming FileHandle, at path: String, for access: Access
    ) throws(StorageError) -> DirectoryLock? {
        guard access == .serving else {
            guard FormatFile.exists(path) else { throw .failed("\(path) is no data directory") }
            return Folder.isReadOnly(path) ? try DirectoryLock.keepingDaemonsAway(from: folder, path) : nil
        }
        try checkForeign(path)
        // Nothing is written in a directory of another format, not even into the file of the lock.
        if FormatFile.exists(path) { _ = try FormatFile.check(path) }
        return try DirectoryLock.take(folder, path)
    }

    /// The folder of the log's environment.
    package var logPath: String { path + "/log" }
    /// The folder of the models' environment.
    package var modelsPath: String { path + "/models" }
    /// The folder of the environments of declared models.
    package var declaredPath: String { path + "/own" }
    /// The path of the journal, which has the newest commits.
    package var journalPath: String { path + "/log.journal" }
    /// The path of the file of the erasures that are under way.
    package var erasurePath: String { path + "/erase.redo" }

    /// Checks that this process still holds the directory, whatever was removed, moved or put back meanwhile.
    ///
    /// - Throws: `.held` or `.failed` when the lock is lost.
    package func renew() throws(StorageError) { try lock?.renew() }

    /// Releases the lock, so that another process can serve the directory. Close the log and the models before.
    package func close() { lock = nil }

    /// Removes the store if this start created it; only before anything is stored, and with log and models closed.
    package func discardNew() {
        guard isNew else { return close() }
        Folder.emptyStore(path)
        Folder.removeEmpty(madeFolders)
        close()
    }

    /// Removes the folders that this start created, unless another process has made a store of them meanwhile.
    private func discardFolders() {
        if !madeFolders.isEmpty, lock != nil, !FormatFile.exists(path) {
            for name in ["FORMAT.tmp", "lock"] { unlink("\(path)/\(name)") }
        }
        Folder.removeEmpty(madeFolders)
        close()
    }

    private func checkFormat() throws(StorageError) {
        if FormatFile.exists(path) {
            try check(FormatFile.check(path))
            return
        }
        guard !Folder.exists(logPath), !Folder.exists(modelsPath) else {
            throw .corrupt("\(path) holds a log or models, but its file FORMAT is gone", at: nil)
        }
        // A journal may be all that is left of a store, so a start that fails must not remove it.
        let hasJournal = Folder.exists(journalPath)
        try FormatFile.create(path, servedKind)
        isNew = !hasJournal
    }

    /// Makes the directory of a store that of the node that is served, whose history was found to be the same.
    package func becomeNode() throws(StorageError) {
        guard isUnsharedStore else { return }
        try FormatFile.create(path, servedKind)
        try Folder.syncNames(of: path)
        isUnsharedStore = false
    }

    /// Refuses to serve a replica or a node alone or as another one, and a store of its own as a replica.
    private func check(_ found: DirectoryKind) throws(StorageError) {
        guard access == .serving, found != servedKind else { return }
        let copy = "make a store of its own of it: storectl --data NEW restore \(path)"
        switch (found, servedKind) {
        case (.store, .node): isUnsharedStore = true
        case (.node(let log, let node), _):
            throw .failed(
                "\(path) is the node \(node) of the log \(log): alone or as another one it would diverge. Serve it with "
                    + "--cluster, --log \(log) and --node \(node), or \(copy)")
        case (.replica, _):
            throw .failed(
                "\(path) is a replica: alone it would diverge from its source. Serve it with --follow, or \(copy)")
        case (.store, _):
            throw .failed("\(path) is a store of its own, and no replica: name a new directory for --follow")
        }
    }

    /// Refuses a folder with other files in it: its name was most likely a mistake.
    private static func checkForeign(_ path: String) throws(StorageError) {
        let foreign = try Folder.names(in: path).first { !DataDirectory.knownNames.contains($0) }
        guard let foreign, !FormatFile.exists(path) else { return }
        throw .failed("\(path) is no data directory, and not empty: \(foreign) is in it; name a new directory")
    }

    /// The names that may exist without `FORMAT`: a start that failed leaves some of them, and file systems the last.
    private static let knownNames: Set = ["lock", "log", "models", "log.journal", "FORMAT.tmp", "lost+found"]

    /// Opens the folder, which only its owner may write to.
    private static func opened(_ path: String) throws(StorageError) -> FileHandle {
        guard Folder.exists(path) else { throw .failed("there is no data directory at \(path)") }
        let folder = try FileHandle(path, O_RDONLY | O_DIRECTORY)
        let status = try folder.status(path)
        guard status.st_uid == geteuid() else {
            throw .failed("\(path) belongs to uid \(status.st_uid), not to uid \(geteuid())")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .failed("\(path) may be written by its group or by everybody: chmod 700 it")
        }
        return folder
    }
}
