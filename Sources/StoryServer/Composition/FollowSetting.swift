import StoryCore
import StoryReactor

/// The reading of the setting `follow`, which makes a store a replica.
enum FollowSetting {
    /// Reads the address of the source, a socket's path or `HOST:PORT`; nil for a store that is no replica.
    static func address(
        _ settings: ServerConfiguration.Settings, besides configuration: ServerConfiguration
    ) throws(ServerConfiguration.UsageError) -> String? {
        guard let written = settings[.follow] else { return nil }
        let address = written.text
        guard !address.hasPrefix("tls://") else {
            throw written.refused("follow takes HOST:PORT without tls://, such as \(address.dropFirst(6))")
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
