/// Where the daemon and its clients meet when nobody says otherwise (SPEC §4): one rule, so that they do.
///
/// An empty variable counts as absent, and so does an XDG directory that is not absolute, as XDG demands.
package struct DefaultPaths: Sendable {
    private let environment: [String: String]
    private let uid: UInt32
    private let hasRunDirectory: Bool

    /// - Parameter hasRunDirectory: whether `runDirectory(uid:)` exists, which only the shell can know.
    package init(environment: [String: String], uid: UInt32, hasRunDirectory: Bool) {
        self.environment = environment
        self.uid = uid
        self.hasRunDirectory = hasRunDirectory
    }

    /// The directory that the system makes for what a user runs.
    package static func runDirectory(uid: UInt32) -> String { "/run/user/\(uid)" }

    /// The socket: as given, else `STORED_SOCKET`, else in `$XDG_RUNTIME_DIR/storykeep`, else in
    /// `/run/user/UID/storykeep`, else in `/tmp/storykeep-UID`.
    package func socket(_ explicit: String?) -> String {
        if let named = explicit ?? value("STORED_SOCKET") { return named }
        if let directory = directory("XDG_RUNTIME_DIR") { return directory + "/storykeep/stored.sock" }
        if hasRunDirectory { return DefaultPaths.runDirectory(uid: uid) + "/storykeep/stored.sock" }
        return "/tmp/storykeep-\(uid)/stored.sock"
    }

    /// True when somebody said where the socket is.
    package func isSocketNamed(_ explicit: String?) -> Bool { (explicit ?? value("STORED_SOCKET")) != nil }

    /// The data directory: as given, else `STORED_DATA`, else `$XDG_DATA_HOME/storykeep`, else
    /// `~/.local/share/storykeep`; nil when there is no home either.
    package func data(_ explicit: String?) -> String? {
        if let explicit = explicit ?? value("STORED_DATA") { return explicit }
        if let directory = directory("XDG_DATA_HOME") { return directory + "/storykeep" }
        return directory("HOME").map { $0 + "/.local/share/storykeep" }
    }

    /// What a program keeps from one run to the next: `$XDG_STATE_HOME/storykeep`, else `~/.local/state/storykeep`; nil
    /// when there is no home either.
    package var state: String? {
        if let directory = directory("XDG_STATE_HOME") { return directory + "/storykeep" }
        return directory("HOME").map { $0 + "/.local/state/storykeep" }
    }

    private func value(_ name: String) -> String? {
        guard let value = environment[name], !value.isEmpty else { return nil }
        return value
    }

    private func directory(_ name: String) -> String? {
        guard let value = value(name), value.utf8.first == UInt8(ascii: "/") else { return nil }
        return value
    }
}
