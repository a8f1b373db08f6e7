import StoryCluster
import StoryCore
import StoryServer
import StoryStorage
import TestSupport

/// The log that the nodes have together, taken from each change of the ordering service: what is in it is there for
/// good.
final class AgreedLog {
    let log = MemoryEventLog()
    /// The last positions of its entries.
    private(set) var ends: Set<Int> = [0]
    /// The last revision that was looked at.
    private var seen: Int64 = 0
    private let keys = LogKeys(log: "main")

    /// Takes over the entries that were written since the last time. An entry that was put once more, such as by a late try
    /// that comes after the entry was removed, is the same as before: a node that joins may read it.
    func follow(_ etcd: SimulatedEtcd) throws {
        guard etcd.revision > seen else { return }
        guard etcd.compacted <= seen else { throw Difference("etcd forgot what was not looked at") }
        for (revision, change) in etcd.changes where revision > seen {
            guard case .put(let pair) = change, let first = keys.first(ofKey: pair.key) else { continue }
            let (head, _, records) = try EntryHead.read(pair.value)
            guard let records else { throw Difference("the entry \(pair.key) is in parts") }
            guard first == log.head.next else {
                try checkOnceMore(head, records)
                continue
            }
            try records.withUnsafeBytes { try log.ingest($0) { _ in } }
            ends.insert(Int(log.head.value))
        }
        seen = etcd.revision
    }

    /// The ordering service was set back to an earlier revision: its changes come again from there on, and the log stays.
    func setBack(to revision: Int64) { seen = revision }

    private func checkOnceMore(_ head: EntryHead, _ records: [UInt8]) throws {
        var agreed: [UInt8] = []
        if head.last <= log.head {
            try log.scanRecords(from: head.first, through: head.last) { _, record in
                agreed += record
                return true
            }
        }
        guard agreed == records else {
            throw Difference(
                "an entry of other events than the log has was put at \(head.first.value), through \(head.last.value) "
                    + "of \(log.head.value)")
        }
    }
}
