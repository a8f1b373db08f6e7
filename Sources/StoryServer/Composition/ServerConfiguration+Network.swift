import StoryCore
import StoryNetwork
import StoryReactor

/// The settings for other machines.
extension ServerConfiguration {
    /// Reads `listen`, the files of certificates, and `trust`.
    static func network(
        _ settings: Settings, _ accounts: Accounts, into configuration: inout ServerConfiguration
    ) throws(SettingsError) {
        // STORED_SOCKET of a shell may have the address of another machine, which is for clients.
        guard !configuration.socket.contains("://") else {
            let reason = "socket is the path at which stored listens, not \(configuration.socket): say --socket PATH"
            throw settings[.socket]?.refused(reason) ?? SettingsError(message: reason)
        }
        if let written = settings[.listen] {
            guard let address = HostAndPort(written.text) else {
                throw written.refused(
                    "listen wants HOST:PORT, such as 0.0.0.0:7171 or [::]:7171, not \"\(written.text)\"")
            }
            configuration.listen = address
        }
        configuration.certificates = try certificates(settings)
        if configuration.listen != nil, configuration.certificates?.certificate == nil {
            throw SettingsError(
                message: "listen wants a certificate: say --certificate, --certificate-key and --authority")
        }
        for rule in settings.all(.trust) {
            let trust = try rule.parsed { (text) throws(SettingsError) in try Trust(text, accounts) }
            guard configuration.access.trust.allSatisfy({ $0.name != trust.name }) else {
                throw rule.refused("trust is given twice for \"\(trust.name)\"")
            }
            configuration.access.trust.append(trust)
        }
    }

    private static func certificates(_ settings: Settings) throws(SettingsError) -> TLSFiles? {
        let parts: [ServerSetting] = [.certificate, .certificateKey, .authority]
        guard let given = parts.lazy.compactMap({ settings[$0] }).first else { return nil }
        for part in parts where settings[part] == nil {
            let others = parts.filter { settings[$0] != nil }.map(\.rawValue).joined(separator: " and ")
            throw given.refused(
                "\(others) cannot be used without \(part.rawValue): say --\(part.rawValue) FILE as well")
        }
        return TLSFiles(
            certificate: settings[.certificate]?.text, key: settings[.certificateKey]?.text,
            authority: settings[.authority]?.text ?? "")
    }

    /// Reads `follow`, the address of the source of a replica: a socket's path or `HOST:PORT`.
    static func source(
        _ written: Written, besides configuration: ServerConfiguration
    ) throws(SettingsError) -> String {
        let address = written.text
        if let scheme = address.firstRange(of: "://") {
            let rest = address[scheme.upperBound...]
            throw written.refused("follow takes HOST:PORT without \(address[..<scheme.upperBound]), such as \(rest)")
        }
        if HostAndPort(address) != nil {
            guard configuration.certificates != nil else {
                throw written.refused(
                    "follow: \(address) wants a certificate: say --certificate, --certificate-key and --authority")
            }
            return address
        }
        guard address != configuration.socket else {
            throw written.refused("follow names this store's own socket: \(address)")
        }
        guard address.utf8.count <= SocketAddress.longestPath else {
            throw written.refused("the path of follow is longer than \(SocketAddress.longestPath) bytes")
        }
        return address
    }
}
