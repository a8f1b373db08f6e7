import StoryCore
import StoryEtcd
@testable import StoryServer
import TestSupport
import Testing

/// The settings of a node.
@Suite struct ClusterSettingsTests {
    private let paths = DefaultPaths(environment: ["HOME": "/home/a"], uid: 7, hasRunDirectory: false)
    /// The settings that every node has.
    private let node = ["--cluster", "http://a:1,http://[::1]", "--node", "n1"]

    private func read(
        _ arguments: [String], files: [String: String] = [:]
    ) -> Result<ServerConfiguration.Purpose, SettingsError> {
        Result { () throws(SettingsError) in
            try ServerConfiguration.read(arguments, paths: paths) { (path) throws(SettingsError) in
                guard let file = files[path] else { return try SettingsFile.read(path) }
                return Array(file.utf8)
            }
        }
    }

    private func cluster(_ arguments: [String], files: [String: String] = [:]) throws -> ClusterSettings {
        guard case .serve(let configuration) = try read(arguments, files: files).get() else {
            preconditionFailure("these arguments serve")
        }
        return try require(configuration.cluster)
    }

    @Test func `a node has endpoints, a name, and defaults for the rest`() throws {
        let cluster = try cluster(node)
        var expected = ClusterSettings(
            endpoints: [
                EtcdEndpoint(address: HostAndPort(host: "a", port: 1), isSecure: false),
                EtcdEndpoint(address: HostAndPort(host: "::1", port: 2_379), isSecure: false),
            ], node: "n1")
        expect(cluster == expected)
        expect(cluster.endpoints.map(\.url) == ["http://a:1", "http://[::1]:2379"])
        expected.log = "orders"
        (expected.lease, expected.tail, expected.advertise) = (10, 1 << 20, "10.0.0.1:4000")
        let more = ["--log=orders", "--lease=10", "--tail=1048576", "--advertise", "10.0.0.1:4000"]
        expect(try self.cluster(node + more) == expected)
        let file =
            "cluster = http://a:1/,http://[::1]:2379\nnode = n1\nlog = orders\nlease=10\ntail=1048576\n"
            + "advertise = 10.0.0.1:4000\n"
        expect(try self.cluster(["--config", "c"], files: ["c": file]) == expected)
    }

    @Test func `a user has the password of a file, without the end of its line`() throws {
        let user = ["--cluster-user", "node", "--cluster-password-file", "/p"]
        for text in ["sécret pass\n", "sécret pass\r\n", "sécret pass"] {
            let cluster = try cluster(node + user, files: ["/p": text])
            expect(cluster.user == EtcdUser(name: "node", password: "sécret pass") && cluster.passwordFile == "/p")
        }
    }

    @Test(arguments: [
        (["--node", "n1"], "node is for a node of a cluster: set cluster as well"),
        (["--log", "orders"], "log is for a node of a cluster"),
        (["--lease", "3"], "lease is for a node of a cluster"),
        (["--tail", "1048576"], "tail is for a node"), (["--advertise", "a:1"], "advertise is for a node"),
        (["--cluster-user", "u"], "cluster-user is for a node"),
        (["--cluster-password-file", "/p"], "cluster-password-file is for a node"),
        (["--cluster", "http://a"], "a node of a cluster has a name: set node"),
        (["--cluster", "http://a", "--node", "n 1"], "node must be 1 to 64 of the characters"),
        (["--cluster", "http://a", "--node", "-n"], "node must be 1 to 64 of the characters"),
        (["--cluster", "http://a", "--node", String(repeating: "n", count: 65)], "node must be 1 to 64"),
        (["--cluster", "http://a", "--node", "n", "--log", "a/b"], "log must be 1 to 64 of the characters"),
        (["--cluster", "http://a", "--node", "n", "--lease", "1"], "lease must be a number from 2 to 60"),
        (["--cluster", "http://a", "--node", "n", "--lease", "61"], "lease must be a number from 2 to 60"),
        (["--cluster", "http://a", "--node", "n", "--tail", "1000"], "tail must be a number from 1048576 to 1073741"),
        (["--cluster", "http://a", "--node", "n", "--advertise", "a"], "advertise must be HOST:PORT"),
        (["--cluster", "http://a", "--node", "n", "--follow", "/s"], "cluster and follow exclude each other"),
        (["--cluster", "http://a", "--node", "n", "--cluster-user", "u"], "cluster-user has a password"),
        (
            ["--cluster", "http://a", "--node", "n", "--cluster-password-file", "/p"],
            "cluster-password-file is of a user: set cluster-user as well"
        ),
        (
            ["--cluster", "http://a", "--node", "n", "--cluster-user", "u", "--cluster-password-file", "/none"],
            "cluster-password-file: cannot read the file /none: No such file or directory"
        ),
        (["--create"], "--create makes a log in etcd: set --cluster and --node as well"),
    ])
    func `each fault names its setting`(arguments: [String], sentence: String) {
        expect(fault(arguments)?.hasPrefix(sentence) == true, "\(fault(arguments) ?? "none")")
    }

    @Test(arguments: [
        "a:2379", "tcp://a", "http://", "http://a,", "http://a:0", "http://a:70000", "http://a:x", "http://a/path",
        "http://u@a", "http://::1", "http://[a]", "http://[::1", "http://a b",
    ])
    func `a text that is no URL of etcd is refused`(text: String) {
        let said = fault(["--cluster", text, "--node", "n"])
        expect(said?.hasPrefix("cluster wants the URLs of etcd with commas between them") == true, "\(said ?? "none")")
    }

    @Test func `TLS wants certificates, and an endpoint that comes twice is refused`() throws {
        let secure = fault(["--cluster", "http://a,https://b", "--node", "n"])
        expect(
            secure
                == "cluster: https://b:2379 wants a certificate: say --certificate, --certificate-key and --authority")
        expect(fault(["--cluster", "http://a,http://a:2379/", "--node", "n"]) == "cluster names http://a:2379 twice")
        let file = "node = n\ncluster = http://a,x\n"
        expect(fault(["--config", "/c"], ["/c": file])?.hasPrefix("/c:2: cluster wants the URLs") == true)
    }

    @Test(arguments: ["", "\n", "a\nb\n", "a\tb", String(repeating: "p", count: 1_025)])
    func `a file that is no password is refused`(text: String) {
        let user = ["--cluster-user", "u", "--cluster-password-file", "/p"]
        expect(
            fault(node + user, ["/p": text])?.hasPrefix("cluster-password-file: /p must have one line") == true)
    }

    @Test func `a printed configuration reads as the one of a node, and has no password`() throws {
        let files = ["/p": "secret"]
        let arguments =
            node + ["--log=orders", "--lease=10", "--advertise=/s", "--cluster-user=u", "--cluster-password-file=/p"]
        guard case .print(let configuration) = try read(arguments + ["--print-config"], files: files).get() else {
            preconditionFailure("these arguments print")
        }
        let file = ServerSetting.file(configuration)
        expect(!file.contains("secret"))
        let again = try read(["--config", "c", "--check"], files: ["/p": "secret", "c": file]).get()
        expect(again == .check(configuration))
        for setting in ServerSetting.allCases { expect(file.contains("\(setting.rawValue) = ")) }
        expect(try read(arguments + ["--create"], files: files).get() == .create(configuration))
    }

    private func fault(_ arguments: [String], _ files: [String: String] = [:]) -> String? {
        if case .failure(let error) = read(arguments, files: files) { error.message } else { nil }
    }
}
