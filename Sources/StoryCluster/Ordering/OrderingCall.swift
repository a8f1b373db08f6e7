/// A call to the service that orders the entries of a log: put if absent under a compare, ranges, leases.
///
/// Keys are text of ASCII.
package enum OrderingCall: Equatable, Sendable {
    /// Reads keys, linearizable.
    case range(OrderingRange)
    /// Does one of two lists of operations, as the conditions hold or not.
    case transaction(OrderingTransaction)
    /// Grants a lease of some seconds.
    case grantLease(seconds: Int)
    /// Renews a lease for as long as it was granted.
    case renewLease(Int64)
    /// Ends a lease, and deletes its keys.
    case revokeLease(Int64)
    /// Forgets the states of the keys before a revision.
    case compact(revision: Int64)
    /// Asks for the ordering service's version, and refuses one that loses writes.
    case status

    /// Returns a transaction of its parts.
    static func transaction(
        if conditions: [OrderingTransaction.Condition] = [], then: [OrderingTransaction.Operation],
        otherwise: [OrderingTransaction.Operation] = []
    ) -> OrderingCall { .transaction(OrderingTransaction(conditions: conditions, then: then, otherwise: otherwise)) }
}

/// The number of a call or of a watch: the program gives each one of a connection another number.
package struct CallID: Hashable, Sendable {
    package let number: UInt64

    /// Creates a number.
    package init(_ number: UInt64) { self.number = number }
}

/// A watch of the changes of a range of keys.
package struct OrderingWatch: Equatable, Sendable {
    /// The range, whose limit and order do not count.
    package var range: OrderingRange
    /// The first revision whose changes are wanted.
    package var revision: Int64

    /// Creates a watch.
    package init(_ range: OrderingRange, revision: Int64) {
        self.range = range
        self.revision = revision
    }
}

/// A range of keys.
package struct OrderingRange: Equatable, Sendable {
    /// The order of the keys.
    package enum Order: Equatable, Sendable {
        case ascending, descending
    }

    /// The first key.
    package var from: String
    /// The key behind the last one; nil: `from` alone.
    package var end: String?
    /// The number of keys; 0: all.
    package var limit: Int
    package var order: Order
    /// True for keys without their values.
    package var isKeysOnly: Bool

    /// Creates a range.
    package init(
        from: String, end: String? = nil, limit: Int = 0, order: Order = .ascending, isKeysOnly: Bool = false
    ) {
        self.from = from
        self.end = end
        self.limit = limit
        self.order = order
        self.isKeysOnly = isKeysOnly
    }

    /// Returns the range of all keys that begin with a prefix, which ends with a byte below 0xFF.
    package static func prefix(
        _ prefix: String, limit: Int = 0, order: Order = .ascending, isKeysOnly: Bool = false
    ) -> OrderingRange {
        OrderingRange(
            from: prefix, end: endOfPrefix(prefix), limit: limit, order: order, isKeysOnly: isKeysOnly)
    }

    /// Returns the key behind all keys that begin with a prefix.
    package static func endOfPrefix(_ prefix: String) -> String {
        var bytes = Array(prefix.utf8)
        if let last = bytes.popLast() { bytes.append(last + 1) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A transaction: conditions, the operations where all of them hold, and those where one does not.
package struct OrderingTransaction: Equatable, Sendable {
    /// A condition on one key.
    package enum Condition: Equatable, Sendable {
        /// The revision that created the key; 0: there is no such key.
        case created(String, at: Int64)
        /// The revision that changed the key last; 0: there is no such key.
        case changed(String, at: Int64)
    }

    /// An operation.
    package enum Operation: Equatable, Sendable {
        /// Puts a value, held by a lease; 0: by none.
        case put(String, [UInt8], lease: Int64)
        case delete(OrderingRange)
        case get(OrderingRange)
    }

    package var conditions: [Condition]
    package var then: [Operation]
    package var otherwise: [Operation]

    /// Creates a transaction.
    package init(conditions: [Condition], then: [Operation], otherwise: [Operation] = []) {
        self.conditions = conditions
        self.then = then
        self.otherwise = otherwise
    }
}

/// A key with its value.
package struct OrderingKeyValue: Equatable, Sendable {
    package var key: String
    package var value: [UInt8]
    /// The revision that created the key.
    package var created: Int64
    /// The revision that changed the key last.
    package var changed: Int64
    /// The lease that holds the key; 0: none.
    package var lease: Int64

    /// Creates a key with its value.
    package init(key: String, value: [UInt8], created: Int64, changed: Int64, lease: Int64 = 0) {
        self.key = key
        self.value = value
        self.created = created
        self.changed = changed
        self.lease = lease
    }
}
