package import StoryCluster

/// A message of a watch.
package enum WatchReply: Equatable {
    /// The watch has begun.
    case begun
    case batch(OrderingWatchBatch)
    /// The watch ended at a revision that is compacted.
    case compacted
    /// The watch ended for the reason that etcd gives.
    case cancelled(reason: String)

    /// Reads a WatchResponse.
    package init(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        var batch = OrderingWatchBatch([], OrderingHeader(cluster: 0, revision: 0))
        var (isCreated, isCancelled, compacted, reason) = (false, false, Int64(0), "")
        while let field = try reader.next() {
            switch field.number {
            case 1: batch.header = try OrderingHeader(reply: field)
            case 3: isCreated = try field.bool()
            case 4: isCancelled = try field.bool()
            case 5: compacted = try field.int64()
            case 6: reason = try field.text()
            case 7: batch.isFragment = try field.bool()
            case 11:
                guard batch.changes.count < EtcdReply.mostElements else { throw .tooMany }
                batch.changes.append(try WatchReply.readChange(field.bytes()))
            default: break
            }
        }
        if isCancelled {
            self = compacted > 0 ? .compacted : .cancelled(reason: reason)
        } else {
            self = isCreated && batch.changes.isEmpty ? .begun : .batch(batch)
        }
    }

    /// Reads an Event.
    private static func readChange(_ bytes: ArraySlice<UInt8>) throws(ProtobufFault) -> OrderingWatchBatch.Change {
        var reader = ProtobufReader(bytes)
        var isDeleted = false
        var pair = OrderingKeyValue(key: "", value: [], created: 0, changed: 0)
        while let field = try reader.next() {
            switch field.number {
            case 1: isDeleted = try field.uint64() == 1
            case 2: pair = try OrderingKeyValue(reply: field.bytes())
            default: break
            }
        }
        return isDeleted ? .deleted(pair.key, at: pair.changed) : .put(pair)
    }
}
