import StoryCore
import StoryEtcd
import StoryNetwork

/// Whether the words of events are searched.
package enum FindSetting: String, CaseIterable, Sendable {
    /// Once somebody has searched.
    case auto
    case on
    case off

    /// Reads the value of the setting.
    init(_ text: String) throws(SettingsError) {
        guard let setting = FindSetting(rawValue: text) else {
            throw SettingsError(message: "find must be auto, on or off")
        }
        self = setting
    }
}

/// A setting of the daemon: an option `--NAME VALUE`, and a line `NAME = VALUE` of the configuration file.
package enum ServerSetting: String, CaseIterable, Sendable {
    case data, socket, allow, connections, subscriptions, inflight, idle, memory, journal, slow, find, follow, patience
    case cluster, log, node, lease, tail, advertise
    case clusterUser = "cluster-user"
    case clusterPasswordFile = "cluster-password-file"
    case listen, certificate
    case certificateKey = "certificate-key"
    case authority, trust

    /// True where the setting may be given more than once.
    package var isRepeated: Bool { self == .allow || self == .trust }

    /// The placeholder of the value in the help.
    package var placeholder: String {
        switch self {
        case .data: "DIR"
        case .socket: "PATH"
        case .follow: "ADDRESS"
        case .allow: "WHO=ROLE"
        case .connections, .subscriptions, .inflight: "N"
        case .idle, .slow, .patience, .lease: "SECONDS"
        case .memory, .journal, .tail: "BYTES"
        case .cluster: "URL,URL"
        case .find: FindSetting.allCases.map(\.rawValue).joined(separator: "|")
        case .log, .node, .clusterUser: "NAME"
        case .listen, .advertise: "HOST:PORT"
        case .certificate, .certificateKey, .authority, .clusterPasswordFile: "FILE"
        case .trust: "NAME=USER"
        }
    }

    /// A one-line description.
    package var summary: String {
        switch self {
        case .data: "the directory of the log and the models; else STORED_DATA, else the XDG data directory"
        case .socket: "the socket that clients connect to; else STORED_SOCKET, else the XDG runtime directory"
        case .allow:
            "admits another user or group: USER or @GROUP, with read, write, define, admin, or write,define; may be given again"
        case .connections: "the greatest number of clients at once, 1 to 65536"
        case .subscriptions: "the greatest number of subscriptions of one connection, 1 to 100000"
        case .inflight: "the greatest number of requests of one connection in one turn, 1 to 65536"
        case .idle:
            "seconds a client may take to finish a request, or stay idle while connections are scarce: 1 to 86400"
        case .memory: "bytes that are kept for all clients together: 8388608 to 1099511627776"
        case .journal: "the size of log.journal: 65536 to 1073741824, a multiple of 4096"
        case .slow: "seconds from which on a request is slow and is traced, 0.001 to 3600, such as 0.1; 0: never"
        case .find: "auto: the first FIND makes an index of words, which is kept from then on; on: it is made at once"
        case .follow:
            "makes this store a replica of the one at that socket or HOST:PORT: it has the same log, and takes no writes"
        case .listen: "where clients on other machines connect, by TLS; with certificate, certificate-key and authority"
        case .certificate: "the certificate that other machines are shown, in PEM; read again when it changes"
        case .certificateKey:
            "the private key of the certificate, in PEM without a passphrase; read again when it changes"
        case .authority:
            "the certificates of those who sign the certificates of clients, in PEM; read again when it changes"
        case .trust: "has the certificate with this common name stand for a user of this machine; may be given again"
        case .patience: "seconds that a request waits for the position in its min=: 1 to 300"
        case .cluster: "makes this store a node of a log in etcd, whose URLs these are: http://HOST:PORT"
        case .log: "the name of the log in etcd"
        case .node: "the name of this node, which no other node of the log has; a node has to have one"
        case .lease: "seconds after which a leader that is silent is replaced: 2 to 60"
        case .tail: "bytes of events that etcd keeps for nodes that are away: 1048576 to 1073741824"
        case .advertise: "the address of this node that others are given; else listen, or its socket"
        case .clusterUser: "the user of etcd that the node is"
        case .clusterPasswordFile: "the file with the password of that user, one line"
        }
    }

    /// Formats a configuration as a complete configuration file, with a comment for each setting.
    package static func file(_ configuration: ServerConfiguration) -> String {
        var text = "# Settings of stored: lines of NAME = VALUE. Options of the command line come before them.\n"
        text += "# A value with a # in it, or with spaces at its ends, is written in \"quotes\".\n"
        for setting in allCases {
            text += "\n# \(setting.summary)\n"
            let values = setting.values(in: configuration)
            for value in values { text += "\(setting.rawValue) = \(SettingLine.written(value))\n" }
            if values.isEmpty { text += "# \(setting.rawValue) = \(setting.example)\n" }
        }
        return text
    }

    private var example: String { ServerSetting.examples[self] ?? placeholder }

    /// The examples of settings without a value, where the placeholder says too little.
    private static let examples: [ServerSetting: String] = [
        .allow: "@staff=read", .cluster: "http://10.0.0.1:2379,http://10.0.0.2:2379,http://10.0.0.3:2379",
        .log: ClusterSettings.usualLog, .lease: String(ClusterSettings.usualLease),
        .listen: "0.0.0.0:7171", .trust: "laptop=alice", .tail: String(ClusterSettings.usualTail),
    ]

    private func values(in configuration: ServerConfiguration) -> [String] {
        switch self {
        case .data: [configuration.data]
        case .socket: [configuration.socket]
        case .allow: configuration.access.rules.map(\.text)
        case .connections: [String(configuration.limits.connections)]
        case .subscriptions: [String(configuration.limits.subscriptions)]
        case .inflight: [String(configuration.limits.inflight)]
        case .idle: [String(configuration.limits.idle)]
        case .memory: [String(configuration.limits.memory)]
        case .journal: [String(configuration.journal)]
        case .slow: [DecimalSeconds.text(milliseconds: configuration.slowMilliseconds)]
        case .find: [configuration.find.rawValue]
        case .follow: configuration.follow.map { [$0] } ?? []
        case .patience: [String(configuration.patience)]
        case .cluster: configuration.cluster.map { [$0.urls] } ?? []
        case .log: configuration.cluster.map { [$0.log] } ?? []
        case .node: configuration.cluster.map { [$0.node] } ?? []
        case .lease: configuration.cluster.map { [String($0.lease)] } ?? []
        case .tail: configuration.cluster.map { [String($0.tail)] } ?? []
        case .advertise: configuration.cluster?.advertise.map { [$0] } ?? []
        case .clusterUser: configuration.cluster?.user.map { [$0.name] } ?? []
        case .clusterPasswordFile: configuration.cluster?.passwordFile.map { [$0] } ?? []
        case .listen: configuration.listen.map { [$0.description] } ?? []
        case .certificate: configuration.certificates?.certificate.map { [$0] } ?? []
        case .certificateKey: configuration.certificates?.key.map { [$0] } ?? []
        case .authority: configuration.certificates.map { [$0.authority] } ?? []
        case .trust: configuration.access.trust.map(\.text)
        }
    }
}
