import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// The formats of records while the nodes of a log are upgraded one after the other.
struct FormatsTests {
    private let keys = LogKeys(log: "main")
    private let older = RecordFormats(oldest: 4)
    private let later = RecordFormats(oldest: 4, later: 5)

    /// The format of each entry that the ordering service has.
    private func formats(_ bench: ClusterBench) -> [UInt8] {
        bench.etcd.pairs.filter { keys.first(ofKey: $0.key) != nil }.sorted { $0.key < $1.key }.map {
            $0.value.value[1]
        }
    }

    /// Two nodes that read a format more than the log has, of which n1 leads, and one that does not read it.
    private func bench() -> ClusterBench {
        let bench = ClusterBench()
        for name in ["n1", "n2"] { bench.start(name, reading: later) }
        bench.start("n3", reading: older)
        bench.pass(tenths: 40)
        expect(bench.leaders == ["n1"] && bench.stopped.isEmpty)
        return bench
    }

    @Test func `the newest format is taken that all read, and the oldest own one where there is none`() {
        expect(later.newest(readBy: []) == 5)
        expect(later.newest(readBy: [later, RecordFormats(oldest: 5, later: 7, 6)]) == 5)
        expect(later.newest(readBy: [later, older]) == 4)
        expect(later.newest(readBy: [RecordFormats(oldest: 3)]) == 4)
    }

    @Test func `formats are read as a key has them, and anything else is none`() {
        for formats in [RecordFormats.own, older, later] { expect(RecordFormats(formats.text) == formats) }
        expect(RecordFormats("6,4") == RecordFormats(oldest: 4, later: 6))
        for text in ["", ",", "x", "4,256", "-4"] { expect(RecordFormats(text) == nil, "\(text)") }
    }

    @Test func `a leader writes the newest format that all nodes read, and so the next one once the last is upgraded`()
    {
        let bench = bench()
        bench.write("n1", after: 0, bytes: 100)
        bench.kill("n3")
        bench.write("n1", after: 1, bytes: 100)
        bench.start("n3", run: "2", reading: later)
        bench.write("n1", after: 2, bytes: 100)
        expect(formats(bench) == [4, 4, 5])
        bench.pass(tenths: 10)
        expect(bench.stopped.isEmpty && bench.replica("n3")?.reach == Position(3))
    }

    @Test func `a node that is gone counts until it is removed`() {
        let bench = bench()
        bench.kill("n3")
        bench.pass(tenths: 100)
        bench.write("n1", after: 0, bytes: 100)
        bench.ask("n2", for: .remove("n3"), 1)
        expect(bench.ends[1] == .removed)
        bench.write("n1", after: 1, bytes: 100)
        expect(formats(bench) == [4, 5])
    }

    @Test func `a node without formats in its key reads the first one`() {
        let bench = ClusterBench()
        bench.start("n1", reading: later)
        bench.etcd.put(keys.node("n2"), Array("address=/n2\nrun=x\nstored=0\n".utf8))
        bench.pass(tenths: 10)
        bench.write("n1", after: 0, bytes: 100)
        expect(formats(bench) == [4])
    }

    @Test func `a node ends that joins a log whose entries it does not read, says to upgrade it, and does not count`() {
        let bench = ClusterBench()
        bench.start("n1", reading: later)
        bench.pass(tenths: 10)
        bench.write("n1", after: 0, bytes: 100)
        bench.start("n2", reading: older)
        expect(
            bench.stopped["n2"]
                == .unreadable("an entry is of format 5, and this program reads 4: upgrade this node"))
        expect(bench.stopped["n2"]?.isDamage == false && !bench.hasKey(keys.node("n2")))
        bench.write("n1", after: 1, bytes: 100)
        expect(formats(bench) == [5, 5])
    }

    @Test func `a node that follows ends at an entry that it does not read`() {
        let bench = bench()
        let head = EntryHead(
            first: Position(1), count: 1, previous: 0, bytes: 1, digest: EntryHead.Digest(low: 1, high: 2), format: 5)
        bench.etcd.put(keys.entry(head.first), head.value(term: Term(1), records: [1]))
        bench.pass(tenths: 1)
        expect(bench.stopped.keys.sorted() == ["n3"] && bench.stopped["n3"]?.isDamage == false)
        expect(bench.replica("n2")?.reach == Position(1))
    }

    @Test func `a log that was made by a later program is refused, and so is an entry of another layout`() {
        let record = Array(
            "history=\(String(repeating: "07", count: 16))\nposition=0\nchecksum=0\ncluster=77\nformat=5\n".utf8)
        #expect(throws: Never.self) { try LogRecord(record, of: later) }
        #expect(throws: ClusterError.otherFormat("the log", "5", reading: older)) { try LogRecord(record, of: older) }
        var value = EntryHead(
            first: Position(1), count: 1, previous: 0, bytes: 1, digest: EntryHead.Digest(low: 1, high: 2)
        ).value(term: Term(1), records: [1])
        value[0] = 2
        let error = #expect(throws: ClusterError.self) { try EntryHead.read(value) }
        expect(error?.description == "an entry is of layout 2, and this program reads 1: upgrade this node")
    }
}
