import Foundation
import Glibc
import TestSupport

/// A file system of 64 MiB, mounted while a test has it.
final class SmallFileSystem {
    /// What it can be.
    enum Kind: CaseIterable {
        /// In memory.
        case tmpfs
        /// In a file, behind a loop device.
        case ext4
    }

    let path: String
    private let folder: Scratch

    /// Nil where this machine, or this user, cannot have one.
    init?(_ kind: Kind) throws {
        guard geteuid() == 0 else { return nil }
        folder = try Scratch()
        path = folder.place("mounted")
        guard mkdir(path, 0o700) == 0 else { return nil }
        let image = folder.place("image")
        let commands =
            switch kind {
            case .tmpfs: [["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", path]]
            case .ext4:
                [["truncate", "-s", "64M", image], ["mkfs.ext4", "-q", image], ["mount", "-o", "loop", image, path]]
            }
        for command in commands where try !SmallFileSystem.run(command) { return nil }
    }

    deinit { _ = try? SmallFileSystem.run(["umount", "-l", path]) }

    private static func run(_ command: [String]) throws -> Bool {
        let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
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
}
