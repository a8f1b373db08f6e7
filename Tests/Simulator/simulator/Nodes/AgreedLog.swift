import StoryCluster
import StoryCore
import StoryServer
import StoryStorage
import TestSupport

/// The log that the nodes have together, taken from each change of the engine: what is in it is there for good.
final class AgreedLog {
    let log = MemoryEventLog()
    /// The last positions of its entries.
    private(set) var ends: Set<Int> = [0]
    /// The last revision that was looked at.
    private var seen: Int64 = 0
    private let keys = LogKeys(log: "main")

    /// Takes over the entries that were written since the last time. An entry in another place is none of the log: a late
    /// try of an old one may come back, or a planted bug wrote over another one.
    func follow(_ engine: SimulatedEngine) throws {
        guard engine.revision > seen else { return }
        guard engine.compacted <= seen else { throw Difference("the engine forgot what was not looked at") }
        for (revision, change) in engine.changes where revision > seen {
            guard case .put(let pair) = change, keys.first(ofKey: pair.key) == log.head.next else { continue }
            let (_, _, records) = try EntryHead.read(pair.value)
            guard let records else { throw Difference("the entry \(pair.key) is in parts") }
            try records.withUnsafeBytes { try log.ingest($0) { _ in } }
            ends.insert(Int(log.head.value))
        }
        seen = engine.revision
    }
}
