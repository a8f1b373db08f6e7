package import StoryCluster

/// A message that came from etcd, without the prefix that gRPC gives a message.
package enum EtcdReply {
    /// The number of keys, operations or changes that a message may have.
    static let mostElements = 100_000

    /// Returns the answer to a call; `.unknown` for bytes that are not the reply to it.
    package static func answer(to call: OrderingCall, _ bytes: ArraySlice<UInt8>) -> OrderingAnswer {
        do throws(ProtobufFault) {
            switch call {
            case .range:
                let (ranged, header) = try readRanged(bytes)
                return .ranged(ranged, header)
            case .transaction(let transaction): return try readTransacted(bytes, transaction)
            case .grantLease: return try readGranted(bytes)
            case .renewLease(let lease): return try readRenewed(bytes, lease)
            case .revokeLease: return .revoked(try readHeader(bytes))
            case .compact: return .compacted(try readHeader(bytes))
            case .status: return try readStatus(bytes)
            }
        } catch {
            return .unknown
        }
    }

    /// Returns the token of the reply to a user's name and password; nil where there is none.
    package static func token(_ bytes: ArraySlice<UInt8>) -> String? {
        var reader = ProtobufReader(bytes)
        var token = ""
        do throws(ProtobufFault) {
            while let field = try reader.next() { if field.number == 2 { token = try field.text() } }
        } catch {
            return nil
        }
        // It is sent back as the value of a header.
        let isHeader = token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return token.isEmpty || !isHeader ? nil : token
    }
}

extension EtcdReply {
    /// Reads the header of a message that has nothing else.
    private static func readHeader(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> OrderingHeader {
        var reader = ProtobufReader(bytes)
        var header = OrderingHeader(cluster: 0, revision: 0)
        while let field = try reader.next() { if field.number == 1 { header = try OrderingHeader(reply: field) } }
        return header
    }

    /// Reads a LeaseGrantResponse.
    private static func readGranted(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> OrderingAnswer {
        let (lease, seconds) = try readLease(bytes)
        guard seconds > 0 else { throw .otherType }
        return .granted(lease: lease, seconds: seconds, try readHeader(bytes))
    }

    /// Reads a LeaseKeepAliveResponse, which has no time for a lease that is gone.
    private static func readRenewed(
        _ bytes: ArraySlice<UInt8>, _ renewed: Int64
    ) throws(ProtobufFault) -> OrderingAnswer {
        let (lease, seconds) = try readLease(bytes)
        guard lease == renewed else { throw .otherType }
        return .renewed(seconds: max(seconds, 0))
    }

    private static func readLease(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> (id: Int64, seconds: Int) {
        var reader = ProtobufReader(bytes)
        var (lease, seconds) = (Int64(0), Int64(0))
        while let field = try reader.next() {
            switch field.number {
            case 2: lease = try field.int64()
            case 3: seconds = try field.int64()
            default: break
            }
        }
        return (lease, Int(clamping: seconds))
    }

    private static func readStatus(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> OrderingAnswer {
        var reader = ProtobufReader(bytes)
        var header = OrderingHeader(cluster: 0, revision: 0)
        var version = ""
        while let field = try reader.next() {
            switch field.number {
            case 1: header = try OrderingHeader(reply: field)
            case 2: version = try field.text()
            default: break
            }
        }
        if ["3.5.0", "3.5.1", "3.5.2"].contains(version) {
            return .refused(.other("etcd \(version) loses acknowledged writes when it is killed; use 3.5.16 or newer"))
        }
        return .status(version: version, header)
    }

    static func readRanged(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> (OrderingRanged, OrderingHeader) {
        var reader = ProtobufReader(bytes)
        var header = OrderingHeader(cluster: 0, revision: 0)
        var ranged = OrderingRanged([])
        while let field = try reader.next() {
            switch field.number {
            case 1: header = try OrderingHeader(reply: field)
            case 2:
                guard ranged.keys.count < mostElements else { throw .tooMany }
                ranged.keys.append(try OrderingKeyValue(reply: field.bytes()))
            case 3: ranged.hasMore = try field.bool()
            default: break
            }
        }
        return (ranged, header)
    }

    /// Reads the reply to a transaction: it has a result for each operation of the list that was done.
    private static func readTransacted(
        _ bytes: ArraySlice<UInt8>, _ transaction: OrderingTransaction
    ) throws(ProtobufFault) -> OrderingAnswer {
        var reader = ProtobufReader(bytes)
        var header = OrderingHeader(cluster: 0, revision: 0)
        var (succeeded, results) = (false, [OrderingResult]())
        while let field = try reader.next() {
            switch field.number {
            case 1: header = try OrderingHeader(reply: field)
            case 2: succeeded = try field.bool()
            case 3:
                guard results.count < mostElements else { throw .tooMany }
                results.append(try OrderingResult(reply: field.bytes()))
            default: break
            }
        }
        let operations = succeeded ? transaction.then : transaction.otherwise
        guard results.count == operations.count, zip(results, operations).allSatisfy({ $0.answers($1) }) else {
            throw .otherType
        }
        return .transacted(succeeded: succeeded, results, header)
    }
}

extension OrderingHeader {
    /// Reads a ResponseHeader.
    init(reply field: ProtobufField) throws(ProtobufFault) {
        var reader = ProtobufReader(try field.bytes())
        self.init(cluster: 0, revision: 0)
        while let field = try reader.next() {
            switch field.number {
            case 1: cluster = try field.uint64()
            case 3: revision = try field.int64()
            default: break
            }
        }
    }
}

extension OrderingKeyValue {
    /// Reads a KeyValue.
    init(reply bytes: ArraySlice<UInt8>) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        self.init(key: "", value: [], created: 0, changed: 0)
        while let field = try reader.next() {
            switch field.number {
            case 1: key = try field.text()
            case 2: created = try field.int64()
            case 3: changed = try field.int64()
            case 5: value = Array(try field.bytes())
            case 6: lease = try field.int64()
            default: break
            }
        }
    }
}

extension OrderingResult {
    /// Reads a ResponseOp.
    fileprivate init(reply bytes: ArraySlice<UInt8>) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        var result: OrderingResult?
        while let field = try reader.next() {
            switch field.number {
            case 1: result = .ranged(try EtcdReply.readRanged(field.bytes()).0)
            case 2: result = .put
            case 3: result = .deleted(try OrderingResult.readDeleted(field.bytes()))
            default: break
            }
        }
        guard let result else { throw .otherType }
        self = result
    }

    private static func readDeleted(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> Int {
        var reader = ProtobufReader(bytes)
        var deleted: Int64 = 0
        while let field = try reader.next() { if field.number == 2 { deleted = try field.int64() } }
        return Int(clamping: deleted)
    }

    /// Returns true for a result that an operation can have.
    fileprivate func answers(_ operation: OrderingTransaction.Operation) -> Bool {
        switch (self, operation) {
        case (.put, .put), (.deleted, .delete), (.ranged, .get): true
        case (.put, _), (.deleted, _), (.ranged, _): false
        }
    }
}
