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
