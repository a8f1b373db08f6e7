package import StoryCluster

/// A message that is sent to etcd, with the prefix that gRPC gives a message.
package enum EtcdRequest {
    /// Returns the request of a call.
    package static func call(_ call: OrderingCall) -> [UInt8] {
        framed(capacity: size(of: call)) { writer in
            switch call {
            case .range(let range): writer.put(range)
            case .transaction(let transaction): writer.put(transaction)
            case .grantLease(let seconds): writer.number(Int64(clamping: seconds), field: 1)
            case .renewLease(let lease), .revokeLease(let lease): writer.number(lease, field: 1)
            case .compact(let revision): writer.number(revision, field: 1)
            case .status: break
            }
        }
    }

    /// Returns the request that asks for a user's token.
    package static func authenticate(_ user: EtcdUser) -> [UInt8] {
        framed { writer in
            writer.text(user.name, field: 1)
            writer.text(user.password, field: 2)
        }
    }

    /// Returns the request that begins a watch, whose large batches are to be cut.
    package static func watch(_ watch: OrderingWatch) -> [UInt8] {
        framed { writer in
            writer.message(field: 1) { writer in
                writer.bounds(watch.range)
                writer.number(watch.revision, field: 3)
                writer.bool(true, field: 8)
            }
        }
    }

    /// Returns a message behind its prefix: a byte that says that it is not compressed, and its length.
    private static func framed(capacity: Int = 0, _ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
        var writer = ProtobufWriter(behind: [0, 0, 0, 0, 0], capacity: capacity)
        body(&writer)
        var bytes = writer.bytes
        let length = UInt32(clamping: bytes.count - 5)
        for index in 0..<4 { bytes[1 + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
        return bytes
    }

    /// Returns the approximate number of bytes of a call's request.
    private static func size(of call: OrderingCall) -> Int {
        guard case .transaction(let transaction) = call else { return 64 }
        let operations = transaction.then + transaction.otherwise
        return 128 * (transaction.conditions.count + operations.count)
            + operations.reduce(0) { size, operation in
                if case .put(_, let value, _) = operation { size + value.count } else { size }
            }
    }
}

extension OrderingCall {
    /// The method of the call.
    var method: EtcdMethod {
        switch self {
        case .range: .range
        case .transaction: .transaction
        case .grantLease: .grantLease
        case .renewLease: .renewLease
        case .revokeLease: .revokeLease
        case .compact: .compact
        case .status: .status
        }
    }
}

extension ProtobufWriter {
    /// Writes the first key of a range and the key behind the last one, which all messages have in the same fields.
    fileprivate mutating func bounds(_ range: OrderingRange) {
        text(range.from, field: 1)
        if let end = range.end { text(end, field: 2) }
    }

    /// Writes the fields of a RangeRequest. etcd's order is that of the keys, ascending, where none is asked for.
    fileprivate mutating func put(_ range: OrderingRange) {
        bounds(range)
        number(Int64(clamping: range.limit), field: 3)
        number(range.order == .descending ? 2 : 0, field: 5)
        bool(range.isKeysOnly, field: 8)
    }

    /// Writes the fields of a TxnRequest.
    fileprivate mutating func put(_ transaction: OrderingTransaction) {
        for condition in transaction.conditions { message(field: 1) { $0.put(condition) } }
        for operation in transaction.then { message(field: 2) { $0.put(operation) } }
        for operation in transaction.otherwise { message(field: 3) { $0.put(operation) } }
    }

    /// Writes the fields of a Compare: equal (0, so it is left out), the target, the key and the revision.
    private mutating func put(_ condition: OrderingTransaction.Condition) {
        let (target, key, revision): (Int64, String, Int64) =
            switch condition {
            case .created(let key, let revision): (1, key, revision)
            case .changed(let key, let revision): (2, key, revision)
            }
        number(target, field: 2)
        text(key, field: 3)
        present(revision, field: 4 + Int(target))
    }

    /// Writes the fields of a RequestOp.
    private mutating func put(_ operation: OrderingTransaction.Operation) {
        switch operation {
        case .get(let range): message(field: 1) { $0.put(range) }
        case .put(let key, let value, let lease):
            message(field: 2) { writer in
                writer.text(key, field: 1)
                writer.bytes(value, field: 2)
                writer.number(lease, field: 3)
            }
        case .delete(let range):
            message(field: 3) { $0.bounds(range) }
        }
    }
}
