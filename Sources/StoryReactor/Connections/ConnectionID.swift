import CUV
import Glibc

/// The ID of one connection of one reactor; a number is never used twice.
package struct ConnectionID: Hashable, Sendable {
    /// The number: a slot of the `ConnectionTable` and a counter.
    package let value: UInt64

    /// Makes an ID of a number.
    package init(_ value: UInt64) { self.value = value }
}

/// The credentials of a connection's peer, as the kernel noted them when it connected (SO_PEERCRED, SO_PEERGROUPS), or
/// its certificate.
package struct PeerCredentials: Equatable, Sendable {
    /// The certificate of a peer on another machine, of which the kernel knows no user.
    package struct Certificate: Equatable, Sendable {
        /// The common name; nil where there is not exactly one.
        package let name: String?
        /// The address of the peer, HOST:PORT.
        package let from: String

        /// Makes a certificate's part of the credentials.
        package init(name: String?, from: String) {
            self.name = name
            self.from = from
        }
    }

    /// The number that the system gives to no user and no group.
    package static let nobody = UInt32.max

    /// The user of the process.
    package let uid: UInt32
    /// The group of the process.
    package let gid: UInt32
    /// The ID of the process.
    package let pid: Int32
    /// The groups that the process is in besides `gid`.
    package let groups: [UInt32]
    /// The certificate; nil for a peer of this machine.
    package let certificate: Certificate?

    /// Makes credentials; without `groups`, the process is only in `gid`.
    package init(uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32] = [], certificate: Certificate? = nil) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
        self.certificate = certificate
    }

    /// Makes the credentials of a certificate, which are those of no user.
    init(_ certificate: Certificate) {
        self.init(uid: PeerCredentials.nobody, gid: PeerCredentials.nobody, pid: 0, certificate: certificate)
    }

    /// Reads the credentials of a local peer; nil if the kernel does not report them.
    init?(of descriptor: Int32) {
        var peer = storykeep_peer()
        guard storykeep_peer_of(descriptor, &peer) == 0 else { return nil }
        self.init(uid: peer.uid, gid: peer.gid, pid: peer.pid, groups: PeerCredentials.groups(of: descriptor))
    }

    /// Returns the supplementary groups of a peer; none if the kernel does not report them.
    static func groups(of descriptor: Int32) -> [UInt32] {
        // The kernel's own limit is 65,536; few processes have more than a handful.
        for most in [64, 65_536] {
            let groups = [UInt32](unsafeUninitializedCapacity: most) { memory, count in
                count = Int(max(0, storykeep_peer_groups(descriptor, memory.baseAddress, Int32(most))))
            }
            if !groups.isEmpty || errno != ERANGE { return groups }
        }
        return []
    }
}
