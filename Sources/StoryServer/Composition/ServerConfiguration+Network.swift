import StoryCore
import StoryNetwork

/// The settings for other machines.
extension ServerConfiguration {
    /// Reads `listen`, the files of certificates, and `trust`.
    static func network(
        _ settings: Settings, _ accounts: Accounts, into configuration: inout ServerConfiguration
    ) throws(UsageError) {
        // As STORED_SOCKET of a shell that uses a store on another machine.
        guard !configuration.socket.contains("tls://") else {
            let reason = "socket is the path at which stored listens, not \(configuration.socket): say --socket PATH"
            throw settings[.socket]?.refused(reason) ?? UsageError(message: reason)
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
            throw UsageError(
                message: "listen wants a certificate: say --certificate, --certificate-key and --authority")
        }
        for rule in settings.all(.trust) {
            do throws(UsageError) {
                let trust = try Trust(rule.text, accounts)
                guard configuration.trust.allSatisfy({ $0.name != trust.name }) else {
                    throw UsageError(message: "trust is given twice for \"\(trust.name)\"")
                }
                configuration.trust.append(trust)
            } catch {
                throw rule.refused(error.message)
            }
        }
    }

    /// The address of `listen` for other machines; nil where there is none, or it names all addresses of this one.
    var reachable: String? {
        guard let listen, listen.port != 0, listen.host != "0.0.0.0", listen.host != "::" else { return nil }
        return listen.description
    }

    private static func certificates(_ settings: Settings) throws(UsageError) -> TLSFiles? {
        let parts: [ServerSetting] = [.certificate, .certificateKey, .authority]
        guard let given = parts.lazy.compactMap({ settings[$0] }).first else { return nil }
        for part in parts where settings[part] == nil {
            let others = parts.filter { settings[$0] != nil }.map(\.rawValue).joined(separator: " and ")
            throw given.refused("\(others) want \(part.rawValue): say --\(part.rawValue) FILE")
        }
        return TLSFiles(
            certificate: settings[.certificate]?.text, key: settings[.certificateKey]?.text,
            authority: settings[.authority]?.text ?? "")
    }
}
