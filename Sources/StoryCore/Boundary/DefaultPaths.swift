/// The default paths of the socket and the data directory, shared by the daemon and its clients so that they meet
/// (docs/operating.md, Starting).
///
/// An empty variable counts as absent, and so does an XDG directory that is not absolute, as XDG demands.
package struct DefaultPaths<Failure: Error>: Sendable {
    private let variable: @Sendable (String) throws(Failure) -> String?
    private let uid: UInt32
    private let hasRunDirectory: Bool

    /// Creates the paths for a user.
    ///
    /// - Parameters:
    ///   - hasRunDirectory: true when `SystemPaths.runDirectory(uid:)` exists, which only the shell can know.
    ///   - variable: returns a variable of the environment, nil where there is none. It is not called for a variable
    ///     that an option or another variable makes unnecessary.
    package init(
        uid: UInt32, hasRunDirectory: Bool, variable: @escaping @Sendable (String) throws(Failure) -> String?
    ) {
        self.uid = uid
        self.hasRunDirectory = hasRunDirectory
        self.variable = variable
    }

    /// Returns the socket: `explicit`, else `STORED_SOCKET`, else in `$XDG_RUNTIME_DIR/storykeep`, else in
    /// `/run/user/UID/storykeep`, else in `/tmp/storykeep-UID`.
    package func socket(_ explicit: String?) throws(Failure) -> String {
        if let named = try namedSocket(explicit) { return named }
        if let directory = try directory("XDG_RUNTIME_DIR") { return directory + "/storykeep/stored.sock" }
        if hasRunDirectory { return SystemPaths.runDirectory(uid: uid) + "/storykeep/stored.sock" }
        return "/tmp/storykeep-\(uid)/stored.sock"
    }

    /// Returns the socket that an option or `STORED_SOCKET` names; nil where neither does.
    package func namedSocket(_ explicit: String?) throws(Failure) -> String? {
        if let explicit { return explicit }
        return try value("STORED_SOCKET")
    }

    /// Returns the data directory: `explicit`, else `STORED_DATA`, else `$XDG_DATA_HOME/storykeep`, else
    /// `~/.local/share/storykeep`; nil when there is no home either.
    package func data(_ explicit: String?) throws(Failure) -> String? {
        if let explicit { return explicit }
        if let named = try value("STORED_DATA") { return named }
        if let directory = try directory("XDG_DATA_HOME") { return directory + "/storykeep" }
        return try directory("HOME").map { $0 + "/.local/share/storykeep" }
    }

    /// Returns the directory of a program's persistent state: `$XDG_STATE_HOME/storykeep`, else
    /// `~/.local/state/storykeep`; nil when there is no home either.
    package func state() throws(Failure) -> String? {
        if let directory = try directory("XDG_STATE_HOME") { return directory + "/storykeep" }
        return try directory("HOME").map { $0 + "/.local/state/storykeep" }
    }

    private func value(_ name: String) throws(Failure) -> String? {
        guard let value = try variable(name), !value.isEmpty else { return nil }
        return value
    }

    private func directory(_ name: String) throws(Failure) -> String? {
        guard let value = try value(name), value.utf8.first == UInt8(ascii: "/") else { return nil }
        return value
    }
}

extension DefaultPaths<Never> {
    /// Creates the paths from an environment whose variables are text.
    package init(environment: [String: String], uid: UInt32, hasRunDirectory: Bool) {
        self.init(uid: uid, hasRunDirectory: hasRunDirectory) { environment[$0] }
    }
}

/// Fixed paths of the system, the same for every user.
package enum SystemPaths {
    /// The socket of the store that the package runs as a service.
    package static let serviceSocket = "/run/storykeep/stored.sock"

    /// Returns the directory that the system creates for a user's run-time files.
    package static func runDirectory(uid: UInt32) -> String { "/run/user/\(uid)" }
}
