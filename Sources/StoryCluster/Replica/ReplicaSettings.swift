package import StoryCore

/// The settings of a node.
package struct ReplicaSettings: Equatable, Sendable {
    package var log: String
    package var node: String
    /// The address that others reach the node by.
    package var address: String
    package var version: String
    /// A random text that tells this run of the node from every other.
    package var run: String
    /// A text that tells the node's data directory from every other; no two processes serve one directory at once.
    package var directory = ""
    /// The formats of records that the node reads.
    package var formats = RecordFormats.own
    /// The number of endpoints of the ordering service.
    package var endpoints = 1
    /// After how many seconds a leader that is silent is replaced, 2–60.
    package var lease = 3
    /// How long an entry waits for its outcome, in nanoseconds.
    package var patience: UInt64 = 10_000_000_000
    /// The bytes of entries that the ordering service keeps for nodes that are away.
    package var tail = 64 << 20

    /// Creates the settings of a node.
    package init(log: String, node: String, address: String, version: String, run: String) {
        self.log = log
        self.node = node
        self.address = address
        self.version = version
        self.run = run
    }
}

/// The log of a node when its process starts.
package struct LocalLog: Equatable, Sendable {
    /// The 16 bytes that name its history.
    package var history: [UInt8]
    /// The last position, which is synced.
    package var head: Position

    /// Creates the state of a log.
    package init(history: [UInt8], head: Position) {
        self.history = history
        self.head = head
    }
}
