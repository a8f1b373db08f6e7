import StoryCore

/// A endpoint at which a store may be reached.
enum StoreEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A Unix socket; the owner is the user ID that must run the store, unless root does; nil: any user.
    case socket(path: String, owner: UInt32?)
    /// A port of another machine.
    case remote(HostAndPort, StoreIdentity)
    /// A URL that is none of `tls://HOST:PORT`.
    case malformed(String)

    private static let scheme = "tls://"

    /// Parses a path or a URL.
    init(_ text: String, _ identity: StoreIdentity) {
        guard let end = text.firstRange(of: "://"), text[..<end.lowerBound].allSatisfy(\.isLetter) else {
            self = .socket(path: text, owner: nil)
            return
        }
        guard text.hasPrefix(StoreEndpoint.scheme), let address = HostAndPort(String(text[end.upperBound...])),
            address.port > 0
        else {
            self = .malformed(text)
            return
        }
        self = .remote(address, identity)
    }

    /// Parses paths and URLs with commas between them; a comma that neither a slash nor a URL follows is one of a path.
    static func list(_ text: String, _ identity: StoreIdentity) -> [StoreEndpoint] {
        var parts: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if let last = parts.last, !part.hasPrefix("/"), !part.hasPrefix(scheme) {
                parts[parts.count - 1] = last + "," + part
            } else {
                parts.append(part)
            }
        }
        return parts.map { StoreEndpoint($0, identity) }
    }

    /// Returns the advice on a path at which nobody listens, where it looks like the address of another machine; nil for any
    /// other path.
    static func advice(on path: String) -> String? {
        guard !path.contains("/"), HostAndPort(path) != nil else { return nil }
        return "a store on another machine is named as \(scheme)\(path)"
    }

    var description: String {
        switch self {
        case .socket(let path, _): path
        case .remote(let address, _): StoreEndpoint.scheme + address.description
        case .malformed(let text): text
        }
    }
}
