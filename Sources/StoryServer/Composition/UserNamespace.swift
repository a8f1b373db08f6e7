import Glibc

/// The user namespace of this process, as far as it says which users and groups the kernel can tell apart.
///
/// In a container, for example, all users without a number share one, as a rule 65534, which is the number of the user
/// `nobody`.
struct UserNamespace: Equatable, Sendable {
    /// The number that users without one in this namespace share; nil where every user has one.
    let unknownUser: UInt32?
    /// The number that groups without one in this namespace share; nil where every group has one.
    let unknownGroup: UInt32?

    /// A namespace in which everyone has a number, as outside of containers.
    static let whole = UserNamespace(unknownUser: nil, unknownGroup: nil)

    /// Returns the namespace of this process; one that cannot be read counts as one with unknown users and groups.
    static func current() -> UserNamespace {
        UserNamespace(
            unknownUser: unknown("/proc/self/uid_map", "/proc/sys/kernel/overflowuid"),
            unknownGroup: unknown("/proc/self/gid_map", "/proc/sys/kernel/overflowgid"))
    }

    /// Returns true where the lines `INSIDE OUTSIDE COUNT` of a map cover all numbers.
    static func isWhole(_ map: String) -> Bool {
        let counts = map.split(separator: "\n").map { line in
            line.split(separator: " ").last.flatMap { UInt64($0) } ?? 0
        }
        // The greatest number is reserved for "none", so it is not counted.
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
