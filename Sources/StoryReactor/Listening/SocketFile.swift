import CUV
import Glibc

/// The listening socket and the file that clients connect to.
///
/// A file that a server accepts connections at is never replaced, a stale one is, and at the end only our own is
/// removed.
struct SocketFile {
    /// The number of clients that may wait to be accepted.
    private static let backlog: Int32 = 4_096

    /// The listening descriptor, non-blocking and close-on-exec.
    let descriptor: Int32
    /// The reason why the file admits every user, though not all may connect; nil where it does not.
    let openReason: String?
    /// The file that was bound; nil for an inherited socket, whose file another process made and removes.
    private let file: (path: String, device: dev_t, inode: ino_t)?

    /// Takes over a socket that listens already.
    init(_ inherited: InheritedSocket) {
        descriptor = inherited.descriptor
        (file, openReason) = (nil, nil)
    }

    /// Binds and listens.
    ///
    /// - Parameter access: the users and groups that may connect; the file admits nobody else, unless its file system has
    ///   no access control lists.
    init(path: String, for access: SocketAccess) throws(ReactorError) {
        let address = try SocketAddress(path: path)
        let directory = SocketFile.directory(of: path)
        let guardian = try SocketFile.openDirectory(directory, mode: access.form == .ownerAlone ? 0o700 : 0o711)
        defer { close(guardian) }
        // The lock is held until the socket listens: of two starting servers, the second then finds the first one
        // accepting.
        guard flock(guardian, LOCK_EX) == 0 else { throw .refused(call: "flock", path: directory, code: errno) }
        try SocketFile.removeStale(path, address)
        (descriptor, openReason) = try SocketFile.listen(path, address, access)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw .refused(call: "lstat", path: path, code: code)
        }
        file = (path, status.st_dev, status.st_ino)
    }

    /// Stops listening; removes the file only if it is still the one that was bound.
    func remove() {
        var status = stat()
        if let file, lstat(file.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode {
            unlink(file.path)
        }
        close(descriptor)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func openDirectory(_ path: String, mode: mode_t) throws(ReactorError) -> Int32 {
        let isMade = mkdir(path, mode) == 0
        guard isMade || errno == EEXIST else { throw .refused(call: "mkdir", path: path, code: errno) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused(call: "open", path: path, code: errno) }
        // Overrides the umask, since clients have to pass through the directory.
        if isMade { fchmod(descriptor, mode) }
        var status = stat()
        let known = fstat(descriptor, &status) == 0
        let shared = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
        guard known, !shared, status.st_uid == geteuid() || status.st_uid == 0 else {
            close(descriptor)
            throw .directoryNotSafe(path)
        }
        return descriptor
    }

    private static func removeStale(_ path: String, _ address: SocketAddress) throws(ReactorError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .refused(call: "lstat", path: path, code: errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = try address.socket()
        defer { close(probe) }
        // A full backlog (EAGAIN) is a sign of a listening server too.
        if address.connect(probe) == 0 || errno == EAGAIN { throw .anotherServerAnswers(path) }
        guard errno == ECONNREFUSED else { throw .refused(call: "connect", path: path, code: errno) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .refused(call: "unlink", path: path, code: errno) }
    }

    private static func listen(
        _ path: String, _ address: SocketAddress, _ access: SocketAccess
    ) throws(ReactorError) -> (descriptor: Int32, openReason: String?) {
        let descriptor = try address.socket()
        var (isBound, isListening) = (false, false)
        defer {
            if !isListening { close(descriptor) }
            if isBound, !isListening { unlink(path) }
        }
        // The file gets the descriptor's mode, less the umask: it is narrow from its first moment, with no change to
        // the umask, which every thread shares. It is widened once it is there and has its group.
        guard fchmod(descriptor, 0o600) == 0, address.bind(descriptor) == 0 else {
            throw .refused(call: "bind", path: path, code: errno)
        }
        isBound = true
        let openReason = try SocketFile.admit(access, path)
        guard Glibc.listen(descriptor, backlog) == 0 else { throw .refused(call: "listen", path: path, code: errno) }
        isListening = true
        return (descriptor, openReason)
    }

    /// Widens the file's permissions to the users and groups that may connect.
    ///
    /// - Returns: the reason why it admits every user; nil where it does not.
    private static func admit(_ access: SocketAccess, _ path: String) throws(ReactorError) -> String? {
        var (mode, reason): (mode_t, String?) = (0o600, nil)
        switch access.form {
        case .ownerAlone: break
        case .group(let group):
            guard chown(path, uid_t.max, group) == 0 else { throw .refused(call: "chown", path: path, code: errno) }
            mode = 0o660
        case .list:
            let code = access.setList(of: path)
            guard code != 0 else { return nil }
            (mode, reason) = (0o666, String(cString: strerror(code)))
        }
        guard chmod(path, mode) == 0 else { throw .refused(call: "chmod", path: path, code: errno) }
        return reason
    }
}

/// The users and groups that may connect to a Unix socket, besides its owner and root.
package struct SocketAccess: Equatable, Sendable {
    /// The way in which the file of the socket admits them.
    enum Form: Equatable {
        /// Mode 0600.
        case ownerAlone
        /// Mode 0660, and the file belongs to the group.
        case group(UInt32)
        /// An access control list (acl(5)).
        case list
    }

    private let uids: [UInt32]
    private let gids: [UInt32]

    /// Makes the access of these users and groups; without any, only the owner has it.
    package init(users: [UInt32] = [], groups: [UInt32] = []) {
        (uids, gids) = (Set(users).sorted(), Set(groups).sorted())
    }

    var form: Form {
        guard uids.isEmpty, let group = gids.first else { return uids.isEmpty ? .ownerAlone : .list }
        return gids.count == 1 ? .group(group) : .list
    }

    /// Gives a file the access control list.
    ///
    /// - Returns: 0, or an error of the system: its file system has no lists, or the namespace no such user.
    func setList(of path: String) -> Int32 {
        list.withUnsafeBytes { storykeep_set_acl(path, $0.baseAddress, $0.count) } == 0 ? 0 : errno
    }

    /// The bytes of the list, as the kernel takes them: a version, and entries with a tag, permissions and a number, in
    /// the order of tags and numbers.
    var list: [UInt8] {
        let (readAndWrite, nothing, nobody): (UInt16, UInt16, UInt32) = (6, 0, .max)
        let entries: [(tag: UInt16, permissions: UInt16, number: UInt32)] =
            [(0x01, readAndWrite, nobody)] + uids.map { (0x02, readAndWrite, $0) }
            + [(0x04, nothing, nobody)] + gids.map { (0x08, readAndWrite, $0) }
            + [(0x10, readAndWrite, nobody), (0x20, nothing, nobody)]
        return SocketAccess.bytes(UInt32(2))
            + entries.flatMap { entry in
                SocketAccess.bytes(entry.tag) + SocketAccess.bytes(entry.permissions) + SocketAccess.bytes(entry.number)
            }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { [UInt8]($0) }
    }
}
