/// One subscription of one connection: 1, 2, 3 … in the order they were asked for.
package struct SubscriptionID: Hashable, Comparable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) { self.value = value }

    package static func < (left: SubscriptionID, right: SubscriptionID) -> Bool { left.value < right.value }
}
