import Glibc
import TestSupport

/// A file system in a file, behind a loop device, that can go down under load and come back.
final class StoppableDisk {
    /// A file system, and how it is told to go down.
    enum Kind: String, CaseIterable {
        /// The kernel writes everything it has first.
        case ext4Flushed
        /// The file system's log is written first.
        case ext4LogFlushed
        /// Nothing more is written, as in a power failure.
        case ext4
        case xfs

        fileprivate var maker: [String] { self == .xfs ? ["mkfs.xfs", "-q"] : ["mkfs.ext4", "-q"] }

        /// `FSOP_GOING_FLAGS_…` of the kernel.
        fileprivate var flag: UInt32 {
            switch self {
            case .ext4Flushed: 0
            case .ext4LogFlushed: 1
            case .ext4, .xfs: 2
            }
        }
    }

    /// `_IOR('X', 125, __u32)`: EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN.
    private static let goDown: UInt = 0x8004_587D

    let path: String
    private let kind: Kind
    private let folder: Scratch

    /// Nil where this machine, or this user, cannot have one.
    init?(_ kind: Kind) throws {
        guard geteuid() == 0 else { return nil }
        self.kind = kind
        folder = try Scratch()
        path = folder.place("mounted")
        guard mkdir(path, 0o700) == 0 else { return nil }
        let image = folder.place("image")
        guard try StoppableDisk.run(["truncate", "-s", "512M", image]), try StoppableDisk.run(kind.maker + [image]),
            try mount()
        else { return nil }
    }

    deinit { _ = try? StoppableDisk.run(["umount", "-l", path]) }

    /// Ends the file system where it is: each call on it fails from now on.
    func stop() throws {
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw SystemRefused(call: "open of \(path)", code: errno) }
        defer { close(root) }
        var flag = kind.flag
        guard ioctl(root, StoppableDisk.goDown, &flag) == 0 else {
            throw SystemRefused(call: "ioctl to go down", code: errno)
        }
    }

    /// Mounts it again, which plays its log.
    func comeBack() throws {
        try until("it is unmounted") { try StoppableDisk.run(["umount", path]) }
        guard try mount() else { throw TookTooLong(what: "\(kind) cannot be mounted again") }
    }

    private func mount() throws -> Bool { try StoppableDisk.run(["mount", "-o", "loop", folder.place("image"), path]) }

    private static func run(_ command: [String]) throws -> Bool {
        let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
        return try Program(command, environment: environment, output: "/dev/null", errors: "/dev/null").wait()
            == .code(0)
    }
}
