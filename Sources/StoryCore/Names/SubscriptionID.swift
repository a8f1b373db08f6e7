/// The ID of a subscription within its connection: 1, 2, 3 … in the order of the requests.
package struct SubscriptionID: Hashable, Comparable, Sendable {
    /// The number itself.
    package let value: UInt64

    /// Creates the ID with a number.
    package init(_ value: UInt64) { self.value = value }

    package static func < (left: SubscriptionID, right: SubscriptionID) -> Bool { left.value < right.value }
}
