import StoryCore

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

    /// A store at this path.
    public init(path: String) { self.path = path }

    /// The store that this process means: the path given, else `STORED_SOCKET`, else `storykeep/stored.sock` in
    /// `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, else `/tmp/storykeep-UID/stored.sock`.
    public static func resolved(_ explicit: String? = nil, environment: [String: String]) -> StoreAddress {
        StoreAddress(path: places(environment).socket(explicit))
    }

    /// The data directory that this process means: the path given, else `STORED_DATA`, else
    /// `$XDG_DATA_HOME/storykeep`, else `~/.local/share/storykeep`; nil when there is no home either.
    public static func dataDirectory(_ explicit: String? = nil, environment: [String: String]) -> String? {
        places(environment).data(explicit)
    }

    public var description: String { path }

    private static func places(_ environment: [String: String]) -> DefaultPaths {
        let uid = getuid()
        let exists = access(DefaultPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(environment: environment, uid: uid, hasRunDirectory: exists)
    }
}
