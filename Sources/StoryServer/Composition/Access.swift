import Glibc
package import StoryCore
package import StoryReactor

/// Who may do what, beside the user who runs the daemon and root, who may do everything.
package struct Access: Equatable, Sendable {
    /// One rule: a user or a group, and what it may do.
    package struct Rule: Equatable, Sendable {
        package enum Subject: Equatable, Sendable {
            case user(UInt32)
            case group(UInt32)
        }

        package let subject: Subject
        package let role: Role

        package init(_ subject: Subject, _ role: Role) {
            self.subject = subject
            self.role = role
        }

        /// Reads `USER=ROLE` or `@GROUP=ROLE`; names and numbers are taken.
        ///
        /// - Throws: what is wrong with it, in a sentence.
        package init(_ text: String, _ accounts: Accounts) throws(ServerConfiguration.UsageError) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let role = Role.allCases.first(where: { $0.name == parts[1] }) else {
                throw .init(message: "allow wants USER=ROLE or @GROUP=ROLE with read, write or admin, not \"\(text)\"")
            }
            let isGroup = parts[0].hasPrefix("@")
            let name = isGroup ? String(parts[0].dropFirst()) : parts[0]
            guard let number = UInt32(name) ?? (isGroup ? accounts.group(name) : accounts.user(name)) else {
                throw .init(message: "allow: there is no \(isGroup ? "group" : "user") \"\(name)\" on this machine")
            }
            self.init(isGroup ? .group(number) : .user(number), role)
        }
    }

    package let rules: [Rule]
    /// The users and groups that the kernel can tell apart.
    package let namespace: UserNamespace

    package init(_ rules: [Rule] = [], in namespace: UserNamespace = .whole) {
        self.rules = rules
        self.namespace = namespace
    }

    /// The most that a peer may do; nil where it may not connect.
    package func role(of peer: PeerCredentials, owner: UInt32) -> Role? {
        guard peer.uid != namespace.unknownUser else { return nil }
        guard peer.uid != owner, peer.uid != 0 else { return .admin }
        return rules.filter { $0.subject.matches(peer, in: namespace) }.map(\.role).max()
    }

    /// Why a peer without a role may not connect.
    package func refusal(of peer: PeerCredentials) -> String {
        guard peer.uid != namespace.unknownUser else {
            return
                "uid \(peer.uid) stands for every user without a number in the user namespace of stored, and gets no "
                + "role; give this user a number there"
        }
        return "uid \(peer.uid) may not connect here; whoever runs stored can allow it with --allow"
    }

    /// Who can open the socket, as its file says: no more than has to, and what is wider is refused by `role`.
    package var socketMode: UInt32 {
        guard !rules.isEmpty else { return 0o600 }
        return socketGroup == nil ? 0o666 : 0o660
    }

    /// The group that the socket's file belongs to: the one that all rules are for; nil where there is none such.
    package var socketGroup: UInt32? {
        guard case .group(let group)? = rules.first?.subject,
            rules.allSatisfy({ $0.subject == .group(group) })
        else { return nil }
        return group
    }
}

extension Access.Rule.Subject {
    fileprivate func matches(_ peer: PeerCredentials, in namespace: UserNamespace) -> Bool {
        switch self {
        case .user(let uid): peer.uid == uid
        case .group(let gid): gid != namespace.unknownGroup && (peer.gid == gid || peer.groups.contains(gid))
        }
    }
}

/// How names of users and groups become numbers.
package struct Accounts: Sendable {
    let user: @Sendable (String) -> UInt32?
    let group: @Sendable (String) -> UInt32?

    package init(user: @escaping @Sendable (String) -> UInt32?, group: @escaping @Sendable (String) -> UInt32?) {
        self.user = user
        self.group = group
    }

    /// As this machine knows them; asked at the start only, by the one thread that there is then.
    package static let system = Accounts(
        user: { getpwnam($0)?.pointee.pw_uid }, group: { getgrnam($0)?.pointee.gr_gid })
}
