package import StoryCore

/// The address of a member of etcd.
package struct EtcdEndpoint: Equatable, Sendable {
    /// The port of a URL without one.
    private static let usualPort = 2_379

    package let address: HostAndPort
    /// True for TLS.
    package let isSecure: Bool

    /// The URL.
    package var url: String { (isSecure ? "https://" : "http://") + "\(address)" }
}

extension EtcdEndpoint {
    /// Reads a URL `http://HOST[:PORT]` or `https://HOST[:PORT]`, where an IPv6 address is in brackets; nil for anything
    /// else.
    package init?(url: String) {
        guard let end = url.firstRange(of: "://") else { return nil }
        let isSecure: Bool
        switch url[..<end.lowerBound] {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        var rest = String(url[end.upperBound...])
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let address = HostAndPort(rest) ?? HostAndPort("\(rest):\(EtcdEndpoint.usualPort)"), address.port > 0
        else {
            return nil
        }
        self.init(address: address, isSecure: isSecure)
    }
}
