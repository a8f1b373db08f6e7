import CLMDB
import Glibc
package import StoryCore
import Synchronization

/// An LMDB environment: a folder with `data.mdb` and `lock.mdb`.
///
/// Every commit is synced; the modes that return earlier (`WRITEMAP`, `NOSYNC`, `NOMETASYNC`) are not offered. Read
/// transactions may be begun on any thread; a write transaction belongs to the thread that began it.
package final class Environment: @unchecked Sendable {
    // Unchecked `Sendable`: LMDB has locks of its own; only `close` changes this object, and the one writer its count.

    /// The path of the folder, as it was given.
    package let path: String
    /// The size of a page in bytes.
    package let pageSize: Int
    /// The address space of the map in bytes.
    package let mapSize: Int
    private let identity: NamedFile
    /// The files that must keep their names; without `lock.mdb` when a read-only file system has none.
    private let files: [(name: String, file: NamedFile)]
    /// Held open, so that no other folder gets the same inode number while this one is registered.
    private let folder: FileHandle
    private var handle: EnvironmentHandle?
    private let stopped = Atomic(false)
    /// The pages that write transactions change, which the one under way counts.
    var changes = PageCount()

    /// The environments that this process has open.
    ///
    /// POSIX drops all of a process's locks on a file when any descriptor of that file is closed: opening an environment
    /// a second time and closing it would let another process believe that this one has no readers.
    private static let registered = Mutex<Set<NamedFile>>([])

    /// Opens an environment that exists, after a check of its file, since LMDB crashes on a truncated one.
    package static func open(at path: String, _ options: EnvironmentOptions) throws(StorageError) -> Environment {
        try Environment(path, options, flags: UInt32(MDB_NOTLS), isNew: false)
    }

    /// Opens an environment for reading beside a process that may be writing it.
    ///
    /// - Note: LMDB needs to write `lock.mdb` nevertheless.
    package static func openReadOnly(
        at path: String, _ options: EnvironmentOptions
    ) throws(StorageError) -> Environment {
        var attempt = 1
        while true {
            do {
                return try Environment(path, options, flags: UInt32(MDB_NOTLS | MDB_RDONLY), isNew: false)
            } catch {
                // Opening can fail while another process is just opening or closing, or writing its first page.
                if attempt == 5 { throw error }
                attempt += 1
                usleep(20_000)
            }
        }
    }

    /// Opens a folder; in a new one, which is empty, LMDB creates its files.
    init(_ path: String, _ options: EnvironmentOptions, flags: UInt32, isNew: Bool) throws(StorageError) {
        let folder = try FileHandle(path, O_RDONLY | O_DIRECTORY)
        guard let identity = folder.identity else { throw SystemError.from(errno, "looking at \(path)") }
        let isFirst = Environment.registered.withLock { $0.insert(identity).inserted }
        guard isFirst else { throw .failed("\(path) is open already in this process") }
        do {
            if !isNew, options.isWalkedFirst { try StructureCheck.run(path + "/data.mdb") }
            try ReaderTable.prepare(
                in: path, readers: options.readers, isWriter: !isNew && flags & UInt32(MDB_RDONLY) == 0)
            let (handle, mapSize) = try Environment.reserve(path, options, flags)
            self.handle = handle
            self.mapSize = mapSize
            pageSize = Int(handle.status.ms_psize)
            files = ["/data.mdb", "/lock.mdb"].compactMap { name in NamedFile(at: path + name).map { (name, $0) } }
        } catch {
            Environment.registered.withLock { _ = $0.remove(identity) }
            throw error
        }
        self.path = path
        self.identity = identity
        self.folder = folder
        closeOnExec()
        clearStaleReaders()
        try openMain()
    }

    deinit { close() }

    /// Closes the files; every transaction must have ended before.
    package func close() {
        guard let handle else { return }
        FileLock.giveUp(fileDescriptor)
        handle.close()
        Environment.registered.withLock { _ = $0.remove(identity) }
        self.handle = nil
    }

    /// Keeps every other process from holding the environment, whichever path that process uses.
    ///
    /// - Throws: `.held` when another process holds it.
    package func hold() throws(StorageError) {
        let file = path + "/data.mdb"
        guard try FileLock.take(LOCK_EX, on: fileDescriptor, of: file) else {
            throw .held("\(file) is held by another process, which has it in another directory")
        }
        try checkNames()
    }

    /// Checks that no file was moved, removed or replaced: other processes would read and write another file.
    ///
    /// - Throws: `.failed` when one was.
    package func checkNames() throws(StorageError) {
        for (name, file) in files where NamedFile(at: path + name) != file {
            throw .failed("\(path)\(name) was moved, removed or replaced while it was served")
        }
        guard NamedFile(of: fileDescriptor) == NamedFile(at: path + "/data.mdb") else {
            throw .failed("\(path)/data.mdb was replaced while it was opened")
        }
    }

    /// Frees the reader slots of processes that have ended, whose snapshots would keep pages from being reused.
    package func clearStaleReaders() { raw.checkReaders() }

    /// The number of bytes of the file that are in use: those up to the last page of the newest commit, and no more than the
    /// map has, whichever number a damaged first page tells.
    package var usedBytes: Int {
        (min(Int(clamping: raw.info.me_last_pgno), mapSize / pageSize - 1) + 1) * pageSize
    }

    /// The size of `data.mdb` in bytes.
    package var fileSize: Int { max(Int(clm_size(fileDescriptor)), 0) }

    /// Lengthens the file to its last page when that page is a free one that was never written.
    ///
    /// Otherwise the next opening would find the file truncated.
    package func coverLastPage() {
        let used = usedBytes
        if fileSize < used, ftruncate(fileDescriptor, used) == 0 { fdatasync(fileDescriptor) }
    }

    /// Reserves `count` bytes beyond the last page of the file.
    ///
    /// A commit of that size then neither finds the disk full half-way, nor leaves a file that is shorter than its last
    /// page.
    ///
    /// - Throws: `.full` when there is no room, `.failed` for an I/O error. When the file system cannot reserve, the
    ///   commit reports a lack of room.
    package func reserveRoom(_ count: Int) throws(StorageError) {
        // Besides the values, a commit writes new leaf pages, branch pages and the free list.
        let needed = usedBytes + count + count / 64 + 32 * pageSize
        let size = fileSize
        guard size < needed else { return }
        let code = Environment.lengthen(fileDescriptor, from: size, to: needed)
        if SystemError.isRefusal(ofSpace: code) { throw SystemError.from(code, "making room in \(path)") }
    }

    /// Reserves room for a file up to a new end; `size` and `end` are in bytes.
    ///
    /// - Returns: 0, or the errno; the part that was reserved is released then, since other files need it.
    package static func lengthen(_ descriptor: Int32, from size: Int, to end: Int) -> Int32 {
        let code = posix_fallocate(descriptor, off_t(size), off_t(end - size))
        if code != 0 { ftruncate(descriptor, off_t(size)) }
        return code
    }

    /// Checks after a failed commit that the environment can still be used.
    ///
    /// When LMDB could not write a meta page, it begins no more transactions, and the state of the meta pages on disk
    /// is unknown.
    ///
    /// - Throws: `.failed` in that case, whichever code the commit returned.
    func checkGoesOn(after code: Int32) throws(StorageError) {
        var probe: TransactionHandle?
        let begun = raw.begin(MDB_RDONLY, &probe)
        if begun == MDB_SUCCESS { probe?.abort() }
        guard begun == MDB_PANIC else { return }
        stopped.store(true, ordering: .relaxed)
        throw .failed("\(LMDBError.text(code)) while writing the first pages of \(path), which cannot be used on")
    }

    /// True once a meta page could not be written: LMDB begins no more transactions until the environment is opened again.
    package var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// Makes all commits durable, whichever process wrote them.
    package func sync() throws(StorageError) { try LMDBError.check(raw.sync(), "syncing \(path)") }

    /// Makes all commits durable in a process that only reads: a commit that it has read may not be synced yet.
    ///
    /// - Throws: `.failed` when the system refuses.
    package func syncRead() throws(StorageError) {
        guard fdatasync(fileDescriptor) == 0 else { throw SystemError.from(errno, "syncing \(path)/data.mdb") }
    }

    /// The descriptor of `data.mdb`, which LMDB owns.
    package var fileDescriptor: Int32 { raw.fileDescriptor }

    /// The environment's handle in LMDB.
    var raw: EnvironmentHandle {
        guard let handle else { preconditionFailure("use of the environment \(path) after its close") }
        return handle
    }

    /// Opens the main database, and adopts the larger map of another process that is writing.
    ///
    /// The map may be changed only here, before there is any other transaction.
    private func openMain() throws(StorageError) {
        var probe: TransactionHandle?
        var code = raw.begin(MDB_RDONLY, &probe)
        if code == MDB_MAP_RESIZED {
            _ = raw.setMapSize(0)
            code = raw.begin(MDB_RDONLY, &probe)
        }
        guard code != EAGAIN, code != EACCES else {
            throw .held(
                "\(path) is read by a process of another container that has this one's number, \(getpid()): wait until it "
                    + "ends, or start this one with another number")
        }
        try LMDBError.check(code, "beginning to read \(path)")
        guard let probe else { throw .failed("LMDB began no transaction on \(path)") }
        // Without this, LMDB has no function that compares the main database's keys.
        var main: MDB_dbi = 0
        code = probe.openDatabase(nil, 0, &main)
        probe.abort()
        try LMDBError.check(code, "opening \(path)")
        precondition(main == Database.main.handle, "the main database has number \(main), not \(Database.main.handle)")
    }

    private func closeOnExec() {
        let descriptor = fileDescriptor
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }

    /// Opens with the largest map that the address space has room for.
    private static func reserve(
        _ path: String, _ options: EnvironmentOptions, _ flags: UInt32
    ) throws(StorageError) -> (handle: EnvironmentHandle, mapSize: Int) {
        var size = options.mapSize
        while true {
            var created: EnvironmentHandle?
            try LMDBError.check(EnvironmentHandle.create(&created), "opening \(path)")
            guard let created else { throw .failed("LMDB made no environment for \(path)") }
            let code = configure(created, path, options, flags, size)
            if code == MDB_SUCCESS { return (created, size) }
            // LMDB requires a close even after a failed opening.
            created.close()
            guard code == ENOMEM, size / 2 >= options.leastMapSize else {
                throw LMDBError.from(code, "opening \(path)")
            }
            size /= 2
        }
    }

    private static func configure(
        _ created: EnvironmentHandle, _ path: String, _ options: EnvironmentOptions, _ flags: UInt32, _ size: Int
    ) -> Int32 {
        var code = created.setMapSize(size)
        if code == MDB_SUCCESS { code = created.setMaxDatabases(options.databases) }
        if code == MDB_SUCCESS { code = created.setMaxReaders(options.readers) }
        if code == MDB_SUCCESS { code = created.open(path, flags) }
        return code
    }
}

/// The options that an LMDB environment is opened with.
package struct EnvironmentOptions: Sendable {
    /// The address space of the map in bytes; the map never grows, because growing it under a reader is unsafe.
    package var mapSize = 1 << 40
    /// The smallest map in bytes: the size is halved down to it while the address space is not available.
    package var leastMapSize = 1 << 30
    /// The maximum number of named databases.
    package var databases: UInt32 = 0
    /// The maximum number of concurrent read transactions, over all processes.
    package var readers: UInt32 = 512
    /// True to check every page that LMDB navigates by first; unnecessary when the file was checked otherwise.
    package var isWalkedFirst = true

    /// Creates options for a number of named databases, and otherwise the defaults above.
    package init(databases: UInt32 = 0) { self.databases = databases }
}
