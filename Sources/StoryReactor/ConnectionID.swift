/// One connection of one reactor; a number is never given twice.
package struct ConnectionID: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }
}

/// Who is at the other end of a connection, as the kernel noted it when they connected (SO_PEERCRED, SO_PEERGROUPS).
package struct PeerCredentials: Equatable, Sendable {
    package let uid: UInt32
    package let gid: UInt32
    package let pid: Int32
    /// The groups that the process is in besides `gid`.
    package let groups: [UInt32]

    package init(uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32] = []) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
    }
}
