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

/// The delay before the next connection to an endpoint whose connections fail before an answer, in nanoseconds: none after
/// the first failure, then 0.1 s, doubled after each up to 0.8 s.
struct EndpointDelay {
    private static let (least, doublings): (UInt64, UInt64) = (100_000_000, 3)

    /// The number of connections that failed since a request was answered.
    private var failures: UInt64 = 0
    /// When the next connection may be made.
    private(set) var end: UInt64 = 0

    /// Begins the delay, since a connection has failed.
    mutating func failed(at time: UInt64) {
        failures += 1
        end = failures > 1 ? time + EndpointDelay.least << min(failures - 2, EndpointDelay.doublings) : time
    }

    /// Notes the answer to a request.
    mutating func answered() { failures = 0 }
}
