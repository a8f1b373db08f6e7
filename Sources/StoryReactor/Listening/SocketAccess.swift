import CUV
import Glibc

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
