import Foundation
import Glibc
import TestSupport

/// A small file system, mounted while a test has it.
final class SmallFileSystem {
    /// What it can be.
    enum Kind: CaseIterable {
        /// In memory.
        case tmpfs
        /// In a file, behind a loop device.
        case ext4, xfs
        /// The same, where each change of a file is written elsewhere.
        case btrfs

        /// As it is made; the least that each can do with.
        fileprivate var megabytes: Int {
            switch self {
            case .tmpfs: 24
            case .ext4: 64
            case .xfs: 320
            case .btrfs: 128
            }
        }
    }

    let path: String
    private let folder: Scratch

    /// Nil where this machine, or this user, cannot have one.
    ///
    /// - Parameter megabytes: its size; nil: the least of its kind.
    init?(_ kind: Kind, megabytes: Int? = nil) throws {
        guard geteuid() == 0 else { return nil }
        folder = try Scratch()
        path = folder.place("mounted")
        guard mkdir(path, 0o700) == 0 else { return nil }
        let image = folder.place("image")
        let size = "\(megabytes ?? kind.megabytes)M"
        let commands =
            kind == .tmpfs
            ? [["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", path]]
            : [["truncate", "-s", size, image], ["mkfs.\(kind)", "-q", image], ["mount", "-o", "loop", image, path]]
        for command in commands where try !SmallFileSystem.run(command) { return nil }
    }

    deinit { _ = try? SmallFileSystem.run(["umount", "-l", path]) }

    private static func run(_ command: [String]) throws -> Bool {
        let path = "/usr/sbin:/usr/bin:/sbin:/bin"
        let environment = ["PATH=\(path)"]
        // A machine without the packages of a file system cannot make one.
        let isThere = path.split(separator: ":").contains { access("\($0)/\(command[0])", X_OK) == 0 }
        guard isThere else { return false }
        return try Program(command, environment: environment, output: "/dev/null", errors: "/dev/null").wait()
            == .code(0)
    }

    /// How many bytes may still be taken.
    func freeBytes() throws -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw SystemRefused(call: "statvfs of \(path)", code: errno) }
        return UInt64(status.f_bfree) * UInt64(status.f_frsize)
    }

    /// A file of so many bytes that can be removed later to have room again.
    func ballast(_ count: Int) throws -> String {
        let place = path + "/ballast"
        try Data(repeating: 1, count: count).write(to: URL(filePath: place))
        return place
    }

    /// Gives back what was taken.
    func empty() throws { unlink(path + "/filling") }

    /// Takes all room that there is; returns a file to be removed, or filled once more.
    @discardableResult
    func fill() throws -> String {
        let place = path + "/filling"
        let file = open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemRefused(call: "open of \(place)", code: errno) }
        defer { close(file) }
        for count in [1 << 20, 4_096, 512, 1] {
            let bytes = [UInt8](repeating: 1, count: count)
            // What lies in the cache may find no room later: then it is no longer there to take any.
            while write(file, bytes, count) == count, fsync(file) == 0 {}
        }
        return place
    }
}
