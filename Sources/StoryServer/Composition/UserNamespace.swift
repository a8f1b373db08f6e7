import Glibc

/// The users and groups that the kernel can tell apart in this process's user namespace, as one of a container is.
///
/// To all others it gives one number, 65534 as a rule, which is then the number of nobody.
package struct UserNamespace: Equatable, Sendable {
    /// The number that any user without a number here may have; nil where each has one.
    package let unknownUser: UInt32?
    /// The number that any group without a number here may have; nil where each has one.
    package let unknownGroup: UInt32?

    /// One that knows everybody: that of the machine.
    package static let whole = UserNamespace(unknownUser: nil, unknownGroup: nil)

    /// The namespace of this process. One that cannot be looked at counts as one that does not know everybody.
    package static func current() -> UserNamespace {
        UserNamespace(
            unknownUser: unknown("/proc/self/uid_map", "/proc/sys/kernel/overflowuid"),
            unknownGroup: unknown("/proc/self/gid_map", "/proc/sys/kernel/overflowgid"))
    }

    package init(unknownUser: UInt32?, unknownGroup: UInt32?) {
        self.unknownUser = unknownUser
        self.unknownGroup = unknownGroup
    }

    /// True where the lines `INSIDE OUTSIDE COUNT` of a map give a number to each there is.
    package static func isWhole(_ map: String) -> Bool {
        let counts = map.split(separator: "\n").map { line in
            line.split(separator: " ").last.flatMap { UInt64($0) } ?? 0
        }
        // The greatest number stands for none.
        return counts.reduce(0, +) >= UInt64(UInt32.max)
    }

    private static func unknown(_ map: String, _ number: String) -> UInt32? {
        if let map = text(map), isWhole(map) { return nil }
        return text(number)?.split(separator: "\n").first.flatMap { UInt32($0) } ?? 65_534
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }
}
