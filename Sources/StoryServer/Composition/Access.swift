import Glibc
import StoryCore
import StoryReactor

/// The access rules; the user who runs the daemon, and root, may do everything without one.
struct Access: Equatable, Sendable {
    /// A rule: a user or a group, and its role.
    struct Rule: Equatable, Sendable {
        /// The user or group of a rule, by its number.
        enum Subject: Equatable, Sendable {
            case user(UInt32)
            case group(UInt32)

            fileprivate func matches(_ peer: PeerCredentials, in namespace: UserNamespace) -> Bool {
                switch self {
                case .user(let uid): peer.uid == uid
                case .group(let gid): gid != namespace.unknownGroup && (peer.gid == gid || peer.groups.contains(gid))
                }
            }
        }

        let subject: Subject
        let role: Role

        init(_ subject: Subject, _ role: Role) {
            self.subject = subject
            self.role = role
        }

        /// Parses `USER=ROLE` or `@GROUP=ROLE`; users and groups may be names or numbers.
        ///
        /// - Throws: `SettingsError` with a sentence that states the fault.
        init(_ text: String, _ accounts: Accounts) throws(SettingsError) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let role = Role(parts[1]) else {
                throw .init(
                    message: "allow wants USER=ROLE or @GROUP=ROLE with read, write, define or admin, or write,define, "
                        + "not \"\(text)\"")
            }
            let isGroup = parts[0].hasPrefix("@")
            let name = isGroup ? String(parts[0].dropFirst()) : parts[0]
            guard let number = UInt32(name) ?? (isGroup ? accounts.group(name) : accounts.user(name)) else {
                throw .init(message: "allow: there is no \(isGroup ? "group" : "user") \"\(name)\" on this machine")
            }
            self.init(isGroup ? .group(number) : .user(number), role)
        }

        /// The rule as text, with numbers for names.
        var text: String {
            switch subject {
            case .user(let uid): "\(uid)=\(role.name)"
            case .group(let gid): "@\(gid)=\(role.name)"
            }
        }
    }

    /// The rules, in the order of the settings; where several match, their rights add up.
    var rules: [Rule] = []
    /// The users of certificates; without any, no certificate gets in.
    var trust: [Trust] = []
    /// The user namespace in which the numbers of the rules are valid.
    var namespace = UserNamespace.whole

    /// Returns the role that the rules together give a peer; nil where it may not connect.
    func role(of peer: PeerCredentials, owner: UInt32) -> Role? {
        guard peer.uid != namespace.unknownUser, peer.uid != PeerCredentials.nobody else { return nil }
        guard peer.uid != owner, peer.uid != 0 else { return .admin }
        return rules.reduce(nil) { role, rule in
            guard rule.subject.matches(peer, in: namespace) else { return role }
            return role?.joined(with: rule.role) ?? rule.role
        }
    }

    /// Returns the sentence that refuses a peer without a role.
    func refusal(of peer: PeerCredentials) -> String {
        if let certificate = peer.certificate, peer.uid == PeerCredentials.nobody {
            guard let name = certificate.name else {
                return "the certificate has not exactly one common name; use one that has"
            }
            return
                "the certificate \"\(name)\" stands for no user here; whoever runs stored can say which with --trust"
        }
        guard peer.uid != namespace.unknownUser else {
            return
                "uid \(peer.uid) stands for every user without a number in the user namespace of stored, and gets no "
                + "role; give this user a number there"
        }
        return "uid \(peer.uid) may not connect here; whoever runs stored can allow it with --allow"
    }

    /// The users and groups that the socket's file admits: those of the rules.
    var socketAccess: SocketAccess {
        var (users, groups): ([UInt32], [UInt32]) = ([], [])
        for rule in rules {
            switch rule.subject {
            case .user(let user): users.append(user)
            case .group(let group): groups.append(group)
            }
        }
        return SocketAccess(users: users, groups: groups)
    }
}

/// The look-ups from names of users and groups to their numbers; nil for an unknown name.
package struct Accounts: Sendable {
    let user: @Sendable (String) -> UInt32?
    let group: @Sendable (String) -> UInt32?
    /// The own group of a user's number, and then the others.
    var groups: @Sendable (UInt32) -> [UInt32] = { _ in [] }

    /// The accounts of this machine. Used at start-up only, while there is one thread: the look-ups are not
    /// thread-safe.
    package static let system = Accounts(
        user: { getpwnam($0)?.pointee.pw_uid }, group: { getgrnam($0)?.pointee.gr_gid },
        groups: systemGroups)
}

/// A rule of the setting `trust`: a certificate's common name, and its user of this machine.
struct Trust: Equatable, Sendable {
    let name: String
    let user: UInt32
    /// The user's own group and the others, as they were when the daemon started.
    let groups: [UInt32]

    /// Parses `NAME=USER`; the user may be a name or a number.
    ///
    /// - Throws: `SettingsError` with a sentence that states the fault.
    init(_ text: String, _ accounts: Accounts) throws(SettingsError) {
        guard let sign = text.lastIndex(of: "="), sign != text.startIndex, text.index(after: sign) != text.endIndex
        else {
            throw .init(message: "trust wants NAME=USER, the common name of a certificate and a user, not \"\(text)\"")
        }
        let account = String(text[text.index(after: sign)...])
        guard let user = UInt32(account) ?? accounts.user(account), user != PeerCredentials.nobody else {
            throw .init(message: "trust: there is no user \"\(account)\" on this machine")
        }
        name = String(text[..<sign])
        self.user = user
        groups = accounts.groups(user)
    }

    /// The rule as text, with the user's number.
    var text: String { "\(name)=\(user)" }
}

extension Access {
    /// Returns the credentials of the user of a peer's certificate; those of a local peer, and of a certificate that is
    /// not trusted, unchanged.
    func trusted(_ peer: PeerCredentials) -> PeerCredentials {
        guard let certificate = peer.certificate, let rule = trust.first(where: { $0.name == certificate.name }) else {
            return peer
        }
        return PeerCredentials(
            uid: rule.user, gid: rule.groups.first ?? PeerCredentials.nobody, pid: 0,
            groups: Array(rule.groups.dropFirst()), certificate: certificate)
    }
}

extension PeerCredentials {
    /// The members by which the trace names a peer.
    var traced: KeyValuePairs<String, String> {
        guard let certificate else { return ["uid": "\(uid)"] }
        return ["certificate": certificate.name ?? "", "from": certificate.from]
    }
}

extension Accounts {
    /// Returns a user's own group, and then the others, of this machine; none for a number without an account.
    static func systemGroups(of user: UInt32) -> [UInt32] {
        guard let account = getpwuid(user)?.pointee else { return [] }
        // The kernel's limit.
        var count: Int32 = 65_536
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(account.pw_name, account.pw_gid, &groups, &count) >= 0 else { return [account.pw_gid] }
        let others = groups.prefix(Int(max(0, count))).filter { $0 != account.pw_gid }
        return [account.pw_gid] + others
    }
}
