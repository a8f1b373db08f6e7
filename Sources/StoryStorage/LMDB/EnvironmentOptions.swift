/// What an LMDB environment is opened with.
package struct EnvironmentOptions: Sendable {
    /// The address space reserved: the map is never grown, because growing it under a reader is unsafe.
    package var mapSize = 1 << 40
    /// Where halving stops when the address space is not to be had.
    package var leastMapSize = 1 << 30
    /// How many named databases there may be.
    package var databases: UInt32 = 0
    /// How many read transactions there may be at once, over all processes.
    package var readers: UInt32 = 512
    /// Whether every page that LMDB finds its way by is looked at first; who has checked the file otherwise need not.
    package var isWalkedFirst = true

    /// So many named databases, and otherwise what is said above.
    package init(databases: UInt32 = 0) { self.databases = databases }
}
