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

/// The address of a store: the path of its Unix socket.
public struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
    /// The socket's path.
    public let path: String
    /// The user ID that must run the store, unless root does; nil: any user.
    let owner: UInt32?

    /// Creates the address of a store that any user may run.
    public init(path: String) { self.init(path: path, owner: nil) }

    /// Returns the address of a store at a default path, which this process's user or root must run.
    package static func own(path: String) -> StoreAddress { StoreAddress(path: path, owner: UInt32(getuid())) }

    init(path: String, owner: UInt32?) {
        self.path = path
        self.owner = owner
    }

    /// Returns the address that this process means: the path given, else `STORED_SOCKET`, else `storykeep/stored.sock`
    /// in `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, else `/tmp/storykeep-UID/stored.sock`.
    ///
    /// At a path that is not named, only a store that this process's user or root runs is accepted, since any user may
    /// make a directory in `/tmp`.
    public static func resolved(_ explicit: String? = nil, environment: [String: String]) -> StoreAddress {
        let paths = paths(environment)
        guard let named = paths.namedSocket(explicit) else { return own(path: paths.socket(nil)) }
        return StoreAddress(path: named)
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

    public var description: String { path }

    private static func paths(_ environment: [String: String]) -> DefaultPaths<Never> {
        let uid = getuid()
        let exists = access(SystemPaths.runDirectory(uid: uid), W_OK) == 0
        return DefaultPaths(environment: environment, uid: uid, hasRunDirectory: exists)
    }
}
