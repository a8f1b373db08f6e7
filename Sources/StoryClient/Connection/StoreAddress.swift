import StoryCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The address of a store: the path of its Unix socket, or its port on another machine; or a list of both.
///
/// Of a list the first is taken that greets, and the next one where it ends.
public struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
    /// The endpoints in the order in which they are tried, at least one.
    let endpoints: [StoreEndpoint]

    /// Creates the address of the Unix socket of a store that any user may run.
    public init(path: String) { self.init(path: path, owner: nil) }

    /// Creates an address from paths of Unix sockets and URLs `tls://HOST:PORT`, with commas between them.
    ///
    /// - Parameters:
    ///   - list: the paths and URLs; each path but the first is absolute.
    ///   - identity: the certificate that is shown to other machines, and the authority that signs theirs.
    public init(_ list: String, identity: StoreIdentity = .resolved()) {
        endpoints = StoreEndpoint.list(list, identity)
    }

    /// Creates a list of the addresses, in their order; it must not be empty.
    public init(_ addresses: [StoreAddress]) {
        precondition(!addresses.isEmpty, "a list of no stores")
        endpoints = addresses.flatMap(\.endpoints)
    }

    /// The path of the first Unix socket, or the whole list where there is none.
    public var path: String {
        for case .socket(let path, _) in endpoints { return path }
        return description
    }

    /// Returns the address of a store at a default path, which this process's user or root must run.
    package static func own(path: String) -> StoreAddress { StoreAddress(path: path, owner: UInt32(getuid())) }

    /// Creates the address of one endpoint.
    init(_ endpoint: StoreEndpoint) { endpoints = [endpoint] }

    init(path: String, owner: UInt32?) { endpoints = [.socket(path: path, owner: owner)] }

    /// Returns the address that this process means: the list of paths and URLs given, else `STORED_SOCKET`, else
    /// `storykeep/stored.sock` in `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, else `/tmp/storykeep-UID/stored.sock`.
    ///
    /// At a path that is not named, only a store that this process's user or root runs is accepted, since any user may
    /// make a directory in `/tmp`. Other machines are shown the identity of the environment.
    public static func resolved(_ explicit: String? = nil, environment: [String: String]) -> StoreAddress {
        let paths = paths(environment)
        guard let named = paths.namedSocket(explicit) else { return own(path: paths.socket(nil)) }
        return StoreAddress(named, identity: .resolved(environment: environment))
    }

    /// Returns the address from the environment of this process: the store that `storectl` finds.
    public static func resolved(_ explicit: String? = nil) -> StoreAddress {
        resolved(explicit, environment: ProcessInfo.processInfo.environment)
    }

    /// Returns the data directory that this process means: the path given, else `STORED_DATA`, else
    /// `$XDG_DATA_HOME/storykeep`, else `~/.local/share/storykeep`; nil when there is no home either.
    public static func dataDirectory(_ explicit: String? = nil, environment: [String: String]) -> String? {
        paths(environment).data(explicit)
    }

    /// The paths and URLs, with commas between them.
    public var description: String { endpoints.map(\.description).joined(separator: ",") }

    private static func paths(_ environment: [String: String]) -> DefaultPaths<Never> {
        let uid = getuid()
        let exists = access(SystemPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(environment: environment, uid: uid, hasRunDirectory: exists)
    }
}

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

/// The files by which a client and a store on another machine know each other, all in PEM. They are read at each
/// connection.
public struct StoreIdentity: Hashable, Sendable {
    /// The client's certificate; its common name says which user the client is.
    public var certificate: String?
    /// The private key of the certificate.
    public var certificateKey: String?
    /// The certificates of those who sign the certificates of stores.
    public var authority: String?

    /// Creates an identity from the paths of its files.
    public init(certificate: String? = nil, certificateKey: String? = nil, authority: String? = nil) {
        self.certificate = certificate
        self.certificateKey = certificateKey
        self.authority = authority
    }

    /// Returns the identity of an environment: `STORED_CERTIFICATE`, `STORED_CERTIFICATE_KEY`, `STORED_AUTHORITY`.
    public static func resolved(environment: [String: String]) -> StoreIdentity {
        func path(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return StoreIdentity(
            certificate: path("STORED_CERTIFICATE"), certificateKey: path("STORED_CERTIFICATE_KEY"),
            authority: path("STORED_AUTHORITY"))
    }

    /// Returns the identity of this process's environment.
    public static func resolved() -> StoreIdentity { resolved(environment: ProcessInfo.processInfo.environment) }
}
