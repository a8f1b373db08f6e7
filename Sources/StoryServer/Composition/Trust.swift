import Glibc
import StoryReactor

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
