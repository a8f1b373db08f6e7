/// The options that an LMDB environment is opened with.
package struct EnvironmentOptions: Sendable {
    /// The address space of the map in bytes; the map never grows, because growing it under a reader is unsafe.
    package var mapSize = 1 << 40
    /// The smallest map in bytes: the size is halved down to it while the address space is not available.
    package var leastMapSize = 1 << 30
    /// The maximum number of named databases.
    package var databases: UInt32 = 0
    /// The maximum number of concurrent read transactions, over all processes.
    package var readers: UInt32 = 512
    /// True to check every page that LMDB navigates by first; unnecessary when the file was checked otherwise.
    package var isWalkedFirst = true

    /// Creates options for a number of named databases, and otherwise the defaults above.
    package init(databases: UInt32 = 0) { self.databases = databases }
}
