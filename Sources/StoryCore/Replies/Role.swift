/// The rights of a peer, or those that a request needs. Each role includes `read`, and `admin` all others.
package struct Role: Hashable, BitwiseCopyable, Sendable {
    private let rights: UInt8

    /// Queries and subscriptions.
    package static var read: Role { Role(rights: 0b0001) }
    /// Events as well.
    package static var write: Role { Role(rights: 0b0011) }
    /// Definitions of models as well as `read`.
    package static var define: Role { Role(rights: 0b0101) }
    /// Everything.
    package static var admin: Role { Role(rights: 0b1111) }

    /// Every role that a peer may have.
    package static let all: [Role] = [.read, .write, .define, .write.joined(with: .define), .admin]
    /// The roles that have a name of their own, each before those that include it.
    private static let named: [(name: String, role: Role)] = [
        ("read", .read), ("write", .write), ("define", .define), ("admin", .admin),
    ]

    private init(rights: UInt8) { self.rights = rights }

    /// Reads a role, or several with commas between: `write,define`; nil where a word is none.
    package init?(_ text: String) {
        var role: Role?
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let found = Role.named.first(where: { $0.name == word })?.role else { return nil }
            role = role?.joined(with: found) ?? found
        }
        guard let role else { return nil }
        self = role
    }

    /// The name on the wire: `write`, or `write,define`.
    package var name: String {
        if self == .admin { return "admin" }
        let names = Role.named.dropFirst().filter { includes($0.role) }.map(\.name)
        return names.isEmpty ? "read" : names.joined(separator: ",")
    }

    /// Returns true where the role has all rights of another one.
    package func includes(_ other: Role) -> Bool { rights & other.rights == other.rights }

    /// Returns the role with the rights of both.
    package func joined(with other: Role) -> Role { Role(rights: rights | other.rights) }
}

/// The process at the other end of a connection, as the kernel reports it.
package struct Peer: Equatable, Sendable {
    /// The uid of the process.
    package let uid: UInt32
    /// The role that the uid has.
    package let role: Role
    /// The process ID; nil where the kernel does not tell it.
    package let pid: UInt32?

    /// Creates a peer.
    package init(uid: UInt32, role: Role, pid: UInt32? = nil) {
        self.uid = uid
        self.role = role
        self.pid = pid
    }
}
