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

/// Where a store listens: the path of its Unix socket.
public struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
    /// The socket's path.
    public let path: String
    /// Who has to run the store, beside root; nil: whoever does.
    let owner: UInt32?

    /// A store at this path, whoever runs it.
    public init(path: String) { self.init(path: path, owner: nil) }

    /// A store at a path that nobody named, which this process's user or root has to run.
    package static func own(path: String) -> StoreAddress { StoreAddress(path: path, owner: UInt32(getuid())) }

    init(path: String, owner: UInt32?) {
        self.path = path
        self.owner = owner
    }

    /// The store that this process means: the path given, else `STORED_SOCKET`, else `storykeep/stored.sock` in
    /// `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, else `/tmp/storykeep-UID/stored.sock`.
    ///
    /// At a place that nobody named, only a store of this process's user or of root is talked to: anybody may make a
    /// folder in `/tmp`.
    public static func resolved(_ explicit: String? = nil, environment: [String: String]) -> StoreAddress {
        let paths = paths(environment)
        guard let named = paths.namedSocket(explicit) else { return own(path: paths.socket(nil)) }
        return StoreAddress(path: named)
    }

    /// The same with the environment of this process: the store that `storectl` finds.
    public static func resolved(_ explicit: String? = nil) -> StoreAddress {
        resolved(explicit, environment: ProcessInfo.processInfo.environment)
    }

    /// The data directory that this process means: the path given, else `STORED_DATA`, else
    /// `$XDG_DATA_HOME/storykeep`, else `~/.local/share/storykeep`; nil when there is no home either.
    public static func dataDirectory(_ explicit: String? = nil, environment: [String: String]) -> String? {
        paths(environment).data(explicit)
    }

    public var description: String { path }

    private static func paths(_ environment: [String: String]) -> DefaultPaths<Never> {
        let uid = getuid()
        let exists = access(SystemPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(environment: environment, uid: uid, hasRunDirectory: exists)
    }
}
