import CUV
import Glibc

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

extension PeerCredentials {
    /// The supplementary groups of a peer; none where the kernel does not tell.
    static func groups(of descriptor: Int32) -> [UInt32] {
        // The kernel's own limit is 65,536; few have more than a handful.
        for most in [64, 65_536] {
            let groups = [UInt32](unsafeUninitializedCapacity: most) { memory, count in
                count = Int(max(0, storykeep_peer_groups(descriptor, memory.baseAddress, Int32(most))))
            }
            if !groups.isEmpty || errno != ERANGE { return groups }
        }
        return []
    }
}
