/// One connection, as long as the daemon runs; never used again.
package struct SessionID: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }
}
