import StoryCore
package import StoryEtcd
package import StoryNetwork
import StoryStorage

/// The settings of a node of a log that several machines have.
package struct ClusterSettings: Equatable, Sendable {
    /// The members of etcd, at least one.
    package var endpoints: [EtcdEndpoint]
    /// The name of the log.
    package var log = ClusterSettings.usualLog
    /// The name of this node.
    package var node: String
    /// After how many seconds a leader that is silent is replaced: 2 to 60.
    package var lease = ClusterSettings.usualLease
    /// The bytes of entries that etcd keeps for nodes that are away.
    package var tail = ClusterSettings.usualTail
    /// The address that others are given; nil: the socket.
    package var advertise: String?
    /// The user that etcd wants, with the password at the start; nil where it wants none.
    package var user: EtcdUser?
    /// The file that the user's password was read from.
    package var passwordFile: String?

    /// The certificates for members of etcd with TLS; nil where there are none of these.
    package var files: TLSFiles?

    /// The defaults of the settings `log`, `lease` and `tail`.
    package static let usualLog = "main"
    package static let usualLease = 3
    package static let usualTail = 64 << 20
    /// The range of the setting `tail`.
    static let tails = 1 << 20...1 << 30

    /// The URLs of the members of etcd, with commas between them.
    var urls: String { endpoints.map(\.url).joined(separator: ",") }

    /// Returns the user that etcd wants, with the password that its file has now. A file that has none any more is passed
    /// over: then it is the one at the start.
    func currentUser() -> EtcdUser? {
        guard let user, let passwordFile else { return user }
        let password = try? ServerConfiguration.password(in: passwordFile, SettingsFile.read)
        return EtcdUser(name: user.name, password: password ?? user.password)
    }
}

extension ServerConfiguration {
    /// The settings that have a meaning only beside `cluster`.
    private static let ofNodes: [ServerSetting] = [
        .log, .node, .lease, .tail, .advertise, .clusterUser, .clusterPasswordFile,
    ]
    /// The greatest number of bytes of a password.
    private static let mostPassword = 1_024

    /// Reads the settings of a node; nil where there is no `cluster`.
    ///
    /// - Parameters:
    ///   - settings: all settings.
    ///   - files: the certificates that they name; nil where they name none.
    ///   - readFile: returns the bytes of the file with the password.
    static func cluster(
        _ settings: Settings, _ files: TLSFiles?, readFile: (String) throws(SettingsError) -> [UInt8]
    ) throws(SettingsError) -> ClusterSettings? {
        guard let written = settings[.cluster] else {
            for setting in ofNodes {
                guard let written = settings[setting] else { continue }
                throw written.refused("\(setting.rawValue) is for a node of a cluster: set cluster as well")
            }
            return nil
        }
        if settings[.follow] != nil {
            throw written.refused(
                "cluster and follow exclude each other: a node has its log from etcd, and a replica from one store")
        }
        guard let node = try settings[.node].map({ (node) throws(SettingsError) in try name(node, .node) }) else {
            throw written.refused(
                "a node of a cluster has a name: set node as well, such as n1, to another one for each node")
        }
        var cluster = ClusterSettings(endpoints: try endpoints(written), node: node)
        if let secure = cluster.endpoints.first(where: \.isSecure) {
            guard let files else {
                throw written.refused(
                    "cluster: \(secure.url) wants a certificate: say --certificate, --certificate-key and --authority")
            }
            cluster.files = files
        }
        if let log = settings[.log] { cluster.log = try name(log, .log) }
        cluster.lease = try limit(settings, .lease, 2...60) ?? cluster.lease
        cluster.tail = try limit(settings, .tail, ClusterSettings.tails) ?? cluster.tail
        cluster.advertise = try settings[.advertise].map { (address) throws(SettingsError) in try advertised(address) }
        (cluster.user, cluster.passwordFile) = try user(settings, readFile)
        return cluster
    }

    private static func endpoints(_ written: Written) throws(SettingsError) -> [EtcdEndpoint] {
        var endpoints: [EtcdEndpoint] = []
        for url in written.text.split(separator: ",", omittingEmptySubsequences: false) {
            let text = String(url.drop { $0 == " " })
            guard let endpoint = EtcdEndpoint(url: text) else {
                throw written.refused(
                    "cluster wants the URLs of etcd with commas between them, such as "
                        + "http://10.0.0.1:2379,http://10.0.0.2:2379; \"\(text)\" is none")
            }
            guard !endpoints.contains(endpoint) else {
                throw written.refused("cluster names \(endpoint.url) twice")
            }
            endpoints.append(endpoint)
        }
        return endpoints
    }

    /// Reads the name of a log or a node, which is part of keys in etcd and of the file FORMAT.
    private static func name(_ written: Written, _ setting: ServerSetting) throws(SettingsError) -> String {
        guard NodeName.isValid(written.text) else {
            throw written.refused(
                "\(setting.rawValue) must be 1 to \(NodeName.most) of the characters a-z, A-Z, 0-9, \".\", \"-\" and "
                    + "\"_\", and begin with a letter or a digit")
        }
        return written.text
    }

    private static func advertised(_ written: Written) throws(SettingsError) -> String {
        guard written.text.hasPrefix("/") || HostAndPort(written.text) != nil else {
            throw written.refused(
                "advertise must be HOST:PORT, or the absolute path of a socket for nodes of one machine")
        }
        return written.text
    }

    private static func user(
        _ settings: Settings, _ readFile: (String) throws(SettingsError) -> [UInt8]
    ) throws(SettingsError) -> (EtcdUser?, String?) {
        switch (settings[.clusterUser], settings[.clusterPasswordFile]) {
        case (nil, nil): return (nil, nil)
        case (let name?, nil): throw name.refused("cluster-user has a password: set cluster-password-file as well")
        case (nil, let file?): throw file.refused("cluster-password-file is of a user: set cluster-user as well")
        case (let name?, let file?):
            do throws(SettingsError) {
                return (EtcdUser(name: name.text, password: try password(in: file.text, readFile)), file.text)
            } catch {
                throw file.refused("cluster-password-file: \(error.message)")
            }
        }
    }

    /// Reads the password: the file without a line break at its end.
    fileprivate static func password(
        in file: String, _ readFile: (String) throws(SettingsError) -> [UInt8]
    ) throws(SettingsError) -> String {
        var bytes = try readFile(file)
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.count <= mostPassword, !bytes.contains(where: { $0 < 0x20 }),
            let password = String(validating: bytes, as: UTF8.self)
        else {
            throw SettingsError(message: "\(file) must have one line of 1 to \(mostPassword) bytes")
        }
        return password
    }
}
