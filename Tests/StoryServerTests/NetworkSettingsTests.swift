import StoryCore
import StoryNetwork
import StoryReactor
@testable import StoryServer
import TestSupport
import Testing

/// The settings for clients on other machines, and the users of their certificates.
@Suite struct NetworkSettingsTests {
    private let paths = DefaultPaths(environment: ["HOME": "/home/a"], uid: 7, hasRunDirectory: false)
    private let accounts = Accounts(
        user: { ["ann": 1_001][$0] }, group: { _ in nil }, groups: { $0 == 1_001 ? [100, 50, 51] : [] })
    private static let files = ["--certificate", "/c", "--certificate-key", "/k", "--authority", "/a"]

    private func read(
        _ arguments: [String]
    ) -> Result<ServerConfiguration, SettingsError> {
        Result { () throws(SettingsError) in
            let purpose = try ServerConfiguration.read(arguments, paths: paths, accounts: accounts) { _ in [] }
            if case .serve(let configuration) = purpose { return configuration }
            Issue.record("\(purpose)")
            return ServerConfiguration(data: "", socket: "")
        }
    }

    @Test func `the address, the files and the users are read`() throws {
        let read = try read(["--listen", "[::]:7171", "--trust", "ann's laptop=ann", "--trust", "x=y=7"] + Self.files)
            .get()
        expect(read.listen == HostAndPort(host: "::", port: 7_171))
        expect(read.certificates == TLSFiles(certificate: "/c", key: "/k", authority: "/a"))
        expect(read.access.trust.map(\.text) == ["ann's laptop=1001", "x=y=7"])
        let plain = try self.read([]).get()
        expect(plain.listen == nil && plain.certificates == nil && plain.access.trust.isEmpty)
    }

    @Test(arguments: [
        (["--socket", "tls://h:1"], "socket is the path at which stored listens, not tls://h:1"),
        (["--socket", "http://h:1"], "socket is the path at which stored listens, not http://h:1"),
        (["--follow", "https://h:1"], "follow takes HOST:PORT without https://, such as h:1"),
        (["--listen", "7171"], #"listen wants HOST:PORT, such as 0.0.0.0:7171 or [::]:7171, not "7171""#),
        (["--listen", "::1:7171"], "listen wants HOST:PORT"), (["--listen", "a:70000"], "listen wants HOST:PORT"),
        (["--listen", "a:1"], "listen wants a certificate"),
        (
            ["--certificate", "/c", "--authority", "/a"],
            "certificate and authority cannot be used without certificate-key: say --certificate-key FILE as well"
        ),
        (["--certificate-key", "/c"], "certificate-key cannot be used without certificate: say --certificate FILE"),
        (["--trust", "ann"], "trust wants NAME=USER"), (["--trust", "=ann"], "trust wants NAME=USER"),
        (["--trust", "a="], "trust wants NAME=USER"), (["--trust", "a=eve"], #"trust: there is no user "eve""#),
        (["--trust", "a=4294967295"], "trust: there is no user"), (["--trust", "a=-1"], "trust: there is no user"),
        (["--trust", "a=1", "--trust", "a=2"], #"trust is given twice for "a""#),
        (["--listen", "a:1", "--listen", "a:2"], "--listen is given twice"),
    ])
    func `a wrong setting is named with the fault`(_ arguments: [String], _ sentence: String) {
        guard case .failure(let error) = read(arguments) else {
            Issue.record("it is taken: \(arguments)")
            return
        }
        expect(error.message.hasPrefix(sentence), "\(error.message)")
    }

    @Test func `a certificate is its user, with that user's groups; without trust it is nobody`() throws {
        let configuration = try read(["--trust", "laptop=ann", "--trust", "root=0", "--allow", "@50=write"]).get()
        let access = configuration.access
        func peer(_ name: String?) -> PeerCredentials {
            access.trusted(
                PeerCredentials(
                    uid: PeerCredentials.nobody, gid: PeerCredentials.nobody, pid: 0,
                    certificate: .init(name: name, from: "192.0.2.7:1")))
        }
        let laptop = peer("laptop")
        expect(laptop.uid == 1_001 && laptop.gid == 100 && laptop.groups == [50, 51])
        expect(access.role(of: laptop, owner: 7) == .write && access.role(of: peer("root"), owner: 7) == .admin)
        expect(access.role(of: peer("other"), owner: 7) == nil && access.role(of: peer(nil), owner: 7) == nil)
        expect(access.refusal(of: peer("other")).contains(#"the certificate "other" stands for no user here"#))
        expect(access.refusal(of: peer(nil)).contains("not exactly one common name"))
        // Nobody's number gets in by no rule, and is not the owner's.
        expect(access.role(of: peer("other"), owner: PeerCredentials.nobody) == nil)
        let local = PeerCredentials(uid: 5, gid: 6, pid: 7, groups: [8])
        expect(access.trusted(local) == local)
    }
}
