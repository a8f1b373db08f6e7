import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// The keys and values of a log in the ordering service.
struct LogKeysTests {
    private let keys = LogKeys(log: "main")

    @Test func `keys of entries are in the order of their positions`() {
        expect(keys.entry(Position(9)) == "/storykeep/main/live/log/00000000000000000009")
        expect(keys.entry(Position(9)) < keys.entry(Position(10)))
        expect(keys.first(ofKey: keys.entry(Position(812))) == Position(812))
        expect(keys.first(ofKey: keys.leader) == nil)
        expect(keys.node(ofKey: keys.node("n1")) == "n1")
    }

    @Test func `everything before an entry is its entries and their parts`() {
        let ranges = keys.before(Position(5))
        expect(ranges.map(\.end) == [keys.entry(Position(5)), "/storykeep/main/part/00000000000000000005"])
        expect(keys.part(0, of: Position(4), term: Term(7)) < ranges[1].end ?? "")
        expect(keys.part(0, of: Position(5), term: Term(7)) > ranges[1].end ?? "")
    }

    @Test func `an entry is read as it was written, and anything else is refused`() throws {
        let records = [UInt8](1...40)
        let head = EntryHead(
            first: Position(7), count: 3, previous: 99, bytes: records.count, digest: EntryHead.Digest(low: 1, high: 2))
        let value = head.value(term: Term(12), records: records)
        let read = try EntryHead.read(value)
        expect(read.0 == head && read.1 == Term(12) && read.2 == records)
        expect(head.last == Position(9))
        for end in 0..<value.count { #expect(throws: ClusterError.self) { try EntryHead.read(Array(value[..<end])) } }
        for (index, byte) in [(0, 9), (1, 3), (4, 0), (15, 0xFF), (40, 1)] as [(Int, UInt8)] {
            var changed = value
            changed[index] = byte
            #expect(throws: ClusterError.self) { try EntryHead.read(changed) }
        }
    }

    @Test func `a large entry lies in parts`() throws {
        let records = [UInt8](repeating: 3, count: 600_000)
        let head = EntryHead(
            first: Position(1), count: 1, previous: 0, bytes: records.count, digest: EntryHead.Digest(low: 0, high: 0))
        expect(head.parts == 3)
        let value = head.value(term: Term(1), records: records)
        expect(value.count == EntryHead.size)
        expect(try EntryHead.read(value).2 == nil)
    }

    @Test func `the identity of a log is read as it was written`() throws {
        let ancestor = StoredIdentity.Ancestor(id: [UInt8](repeating: 9, count: 16), position: Position(4))
        let record = LogRecord(
            identity: StoredIdentity(id: [UInt8](0..<16), ancestors: [ancestor]), position: Position(8), checksum: 5,
            cluster: 1 << 63)
        expect(try LogRecord(record.value) == record)
        #expect(throws: ClusterError.self) { try LogRecord(Array("history=00\n".utf8)) }
        #expect(throws: ClusterError.self) { try LogRecord([]) }
    }
}
