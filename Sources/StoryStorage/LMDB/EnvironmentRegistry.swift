import Glibc
import Synchronization

/// Which environments this process has open.
///
/// POSIX drops all of a process's locks on a file when any descriptor of that file is closed: opening an environment
/// a second time and closing it would let another process believe that this one has no readers.
enum EnvironmentRegistry {
    struct Identity: Hashable, Sendable {
        let device: UInt
        let inode: UInt

        init(_ status: stat) {
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
        }
    }

    private static let opened = Mutex<Set<Identity>>([])

    /// False when it is open already.
    static func enter(_ identity: Identity) -> Bool { opened.withLock { $0.insert(identity).inserted } }

    static func leave(_ identity: Identity) { opened.withLock { _ = $0.remove(identity) } }
}
