import Glibc
package import StoryCore

/// Operations on folders, which are created for their owner alone, synced, renamed and removed.
package enum Folder {
    /// Creates a folder that only its owner may enter, and every missing folder above it.
    ///
    /// - Returns: the folders that were created, the innermost last.
    /// - Throws: `.full` or `.failed` when one cannot be created; all of them are removed then.
    @discardableResult
    package static func makeAll(_ path: String) throws(StorageError) -> [String] {
        var end = path.startIndex
        var made: [String] = []
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            guard !exists(part) else { continue }
            made.append(part)
            do throws(StorageError) {
                try make(part)
            } catch {
                removeEmpty(made)
                throw error
            }
        }
        return made
    }

    /// Removes those of the folders that are empty, the last one first.
    static func removeEmpty(_ made: [String]) { for path in made.reversed() { rmdir(path) } }

    /// Creates a folder; one that exists is left as it is, or is an error where the folder must be new.
    package static func make(_ path: String, mustBeNew: Bool = false) throws(StorageError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST && !mustBeNew else {
            throw SystemError.from(errno, "making \(path)")
        }
        CopyOnWrite.turnOff(in: path)
        try sync(parent(of: path))
    }

    /// Returns true when something is at a path, with links followed.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns true when something has this name, even a link that leads to nothing.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns true when a folder is the other one or inside it, whichever links lead there.
    package static func isWithin(_ path: String, _ other: String) -> Bool {
        guard let path = realpath(path, nil) else { return false }
        defer { free(path) }
        guard let other = realpath(other, nil) else { return false }
        defer { free(other) }
        let length = strlen(other)
        return strncmp(path, other, length) == 0 && [0, 0x2F].contains(path[length])
    }

    /// Returns the path without links; nil when nothing is there.
    ///
    /// - Throws: `.failed` when that path is not UTF-8.
    package static func resolved(_ path: String) throws(StorageError) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return try ProcessInput.text(resolved, of: "the path that \(path) leads to")
    }

    /// Returns the folders above a path, the nearest first, in which other users may rename: they could replace the
    /// path.
    package static func openParents(of path: String) -> [String] {
        guard let resolved = realpath(path, nil) else { return [] }
        defer { free(resolved) }
        guard var folder = String(validatingCString: resolved) else { return [] }
        var open: [String] = []
        while folder != "/" {
            folder = parent(of: folder)
            var status = stat()
            guard stat(folder, &status) == 0 else { return open }
            let isShared = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
            if isShared || ![0, geteuid()].contains(status.st_uid) { open.append(folder) }
        }
        return open
    }

    /// Returns true when the file system is mounted read-only.
    package static func isReadOnly(_ path: String) -> Bool { access(path, W_OK) != 0 && errno == EROFS }

    /// Returns the names in a folder, in no order. A name that is not UTF-8 is returned escaped, and so is no file's
    /// name.
    ///
    /// - Throws: `.failed` when the folder cannot be read.
    package static func names(in path: String) throws(StorageError) -> [String] {
        guard let folder = opendir(path) else { throw SystemError.from(errno, "looking into \(path)") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
                    let bytes = UnsafeBufferPointer(
                        start: name, count: strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)))
                    return String(validating: bytes, as: UTF8.self) ?? SystemText.shown(bytes)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the folder that holds this one.
    package static func parent(of path: String) -> String {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        guard let slash = name.lastIndex(of: "/") else { return "." }
        return slash == name.startIndex ? "/" : String(name[..<slash])
    }

    /// Makes the names in a folder durable.
    package static func sync(_ path: String) throws(StorageError) {
        try FileHandle(path, O_RDONLY | O_DIRECTORY).sync(path)
    }

    /// Makes durable the names in a folder, and its own: a process that was killed may have created them without a
    /// sync.
    ///
    /// The parent is not synced when this user may not read it, since then another user created it, nor when it is on
    /// another file system, since then the folder is the root of its own.
    ///
    /// - Throws: `.failed` when that cannot be done.
    package static func syncNames(of path: String) throws(StorageError) {
        let folder = try FileHandle(path, O_RDONLY | O_DIRECTORY)
        try folder.sync(path)
        let parent = parent(of: path)
        guard access(parent, R_OK) == 0 else { return }
        let above = try FileHandle(parent, O_RDONLY | O_DIRECTORY)
        if try above.status(parent).st_dev == folder.status(path).st_dev { try above.sync(parent) }
    }

    /// Renames within one folder and makes the new name durable.
    package static func rename(_ path: String, to target: String) throws(StorageError) {
        guard Glibc.rename(path, target) == 0 else { throw SystemError.from(errno, "renaming \(path) to \(target)") }
        try sync(parent(of: target))
    }

    /// Removes a store that a failed copy or import left; files that cannot be removed stay.
    package static func removeStore(_ path: String) {
        emptyStore(path)
        rmdir(path)
    }

    /// Removes the files of a store from its folder, until one cannot be removed.
    ///
    /// A daemon can start on the rest: the log is renamed before it is removed, and its journal and `FORMAT` are
    /// removed after it.
    static func emptyStore(_ path: String) {
        do throws(StorageError) {
            for name in ["/models", "/models.tmp", "/models.new", "/models.new.tmp", "/models.old", "/log.tmp"] {
                try removeEnvironment(path + name)
            }
            if exists(path + "/log") { try rename(path + "/log", to: path + "/log.tmp") }
            try removeEnvironment(path + "/log.tmp")
        } catch {
            return
        }
        for name in ["log.journal", "log.journal.tmp", "erase.redo", "erase.redo.tmp", "FORMAT", "FORMAT.tmp", "lock"] {
            unlink("\(path)/\(name)")
        }
    }

    /// Removes the folder of an LMDB environment, with the other files of models; nothing happens when there is none.
    ///
    /// A folder that holds anything else is not removed.
    ///
    /// - Throws: when the system refuses.
    package static func removeEnvironment(_ path: String) throws(StorageError) {
        let obstacle = try removedEnvironment(path)
        if obstacle != 0 { throw SystemError.from(obstacle, "removing \(path)") }
    }

    /// Removes the folder of an LMDB environment as `removeEnvironment` does; what holds anything else, or is no folder,
    /// gets the first free name of `….1`, `….2` and so on, so that its own one is free.
    ///
    /// - Throws: when the system refuses.
    package static func retireEnvironment(_ path: String) throws(StorageError) {
        let obstacle = try removedEnvironment(path)
        guard obstacle != 0 else { return }
        let free = (1...999).lazy.map { "\(path).\($0)" }.first { !isThere($0) }
        guard let free else { throw SystemError.from(obstacle, "removing \(path)") }
        try rename(path, to: free)
    }

    /// Fills the files of an LMDB environment with zeros, with the other files of models, and removes its folder as
    /// `retireEnvironment` does.
    ///
    /// - Throws: when the system refuses.
    package static func eraseEnvironment(_ path: String) throws(StorageError) {
        for name in environmentFiles where exists("\(path)/\(name)") {
            let file = try FileHandle("\(path)/\(name)", O_WRONLY | O_NOFOLLOW)
            try file.zero("\(path)/\(name)")
        }
        try retireEnvironment(path)
        try sync(parent(of: path))
    }

    /// The names of the files in the folder of an environment.
    private static let environmentFiles = ["data.mdb", "lock.mdb", "checksums", "damaged", "journal", "journal.tmp"]

    /// Removes an environment; returns `ENOTEMPTY` where its folder holds anything else, `ENOTDIR` where there is no
    /// folder of its name but something else, and 0 once it is gone.
    private static func removedEnvironment(_ path: String) throws(StorageError) -> Int32 {
        for name in environmentFiles {
            guard unlink("\(path)/\(name)") == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw SystemError.from(errno, "removing \(path)/\(name)")
            }
        }
        if rmdir(path) == 0 || errno == ENOENT { return 0 }
        switch errno {
        case ENOTEMPTY, EEXIST: return ENOTEMPTY
        case ENOTDIR: return ENOTDIR
        case let error: throw SystemError.from(error, "removing \(path)")
        }
    }
}
