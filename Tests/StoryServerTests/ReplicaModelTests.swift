import LoopSupport
import StoryCore
import StoryLog
@testable import StoryServer
import TestSupport
import Testing

/// Declared models at a replica: it builds them from the events of its source.
struct ReplicaModelTests {
    private static let define = #"DEFINE orders "from order; total: number = 0; on Placed { total = data.total }""#
    private static let again =
        #"DEFINE orders "from order; total: number = 0; index total; on Placed { total = data.total + 1 }""#
    private static let questions = [
        "GET orders/1", "LIST orders", "COUNT orders", "READ misfits/orders", "MODELS", "MODELS orders", "SORTS orders",
    ]

    private func place(_ bench: ReplicaBench, _ id: Int, _ data: String) {
        expect(bench.write(#"APPEND order-\#(id) {"type":"Placed","data":\#(data)}"#).hasPrefix("+"))
        bench.settle()
    }

    private func expectEqual(_ bench: ReplicaBench) {
        for question in Self.questions {
            let theirs = bench.source.ask(question, from: "s").map { bytesLeftOut($0) }
            expect(bench.ask(question).map { bytesLeftOut($0) } == theirs, "\(question)")
        }
    }

    /// A line without the size of a store, which depends on when it was written.
    private func bytesLeftOut(_ line: String) -> String { line.replacing(/"bytes":\d+/, with: "") }

    @Test func `models are built, redefined and removed as at the source, and answer the same`() {
        let bench = ReplicaBench()
        bench.tick()
        place(bench, 1, #"{"total":5}"#)
        place(bench, 2, #"{"total":"none"}"#)
        expect(bench.write(Self.define).hasPrefix("+"))
        bench.settle()
        place(bench, 3, #"{"total":7}"#)
        expect(bench.ask("GET orders/3").first?.contains(#""total":7"#) == true)
        expectEqual(bench)
        expect(bench.write(Self.again).hasPrefix("+"))
        bench.settle()
        place(bench, 4, #"{"total":9}"#)
        expect(bench.ask("GET orders/4").first?.contains(#""total":10"#) == true)
        expectEqual(bench)
        expect(bench.write("UNDEFINE orders").hasPrefix("+"))
        bench.settle()
        expect(bench.ask("LIST orders").first?.text("code") == "unknown")
        expect(bench.replica.log.head == bench.source.log.head)
    }

    @Test func `a question behind the activation of a definition is answered by it`() {
        let bench = ReplicaBench()
        bench.tick()
        place(bench, 1, #"{"total":5}"#)
        expect(bench.write(Self.define).hasPrefix("+"))
        bench.settle()
        let answer = bench.ask("GET orders/1", behind: Self.again).last ?? ""
        expect(answer.contains(#""total":6"#), "\(answer)")
        let end = bench.ask("LIST orders", behind: "UNDEFINE orders").last ?? ""
        expect(end.text("code") == "unknown", "\(end)")
    }

    /// The records of a source, the last of which says that the model has other rows than it has.
    private func altered(_ bench: ReplicaBench) throws -> [UInt8] {
        let log = MemoryEventLog()
        var texts: [[UInt8]] = []
        try bench.source.log.scan(from: Position(1), through: .max, order: .ascending) { record in
            let text = String(decoding: record.json, as: UTF8.self)
            texts.append(Array(text.replacing(#""rows":2,"#, with: #""rows":3,"#).utf8))
            return true
        }
        var headers: [EventHeader] = []
        try bench.source.log.scanRecords(from: Position(1), through: .max) { position, bytes in
            headers.append(EventHeader(bytes, at: position))
            return true
        }
        for (header, text) in zip(headers, texts) { try text.withUnsafeBytes { try log.append(header, json: $0) } }
        var records: [UInt8] = []
        try log.scanRecords(from: Position(1), through: log.head) { _, bytes in
            records += bytes
            return true
        }
        return records
    }

    @Test func `a model that has other counts than its source had is not served, and MODELS says why`() throws {
        let bench = ReplicaBench()
        bench.isConnected = false
        place(bench, 1, #"{"total":5}"#)
        place(bench, 2, #"{"total":6}"#)
        expect(bench.write(Self.define).hasPrefix("+"))
        bench.settle()
        expect(bench.source.ask("COUNT orders", from: "s") == [#"+ {"count":2,"position":4}"#])
        let isTaken = try altered(bench).withUnsafeBytes { try bench.replica.server.driver.arrived($0) }
        expect(isTaken)
        bench.settle()
        bench.tick(3)
        let reason = "at position 4 the source has 3 rows and 0 misfits, and this replica 2 and 0"
        let models = bench.ask("MODELS").first ?? ""
        expect(models.contains(#""state":"failed""#) && models.contains(#""reason":"\#(reason)""#), "\(models)")
        expect(bench.replica.said("not-built model=orders reason=\"\(reason)\"") == 1, "\(bench.replica.trace)")
        let refusal = bench.ask("LIST orders").first ?? ""
        expect(refusal.text("code") == "internal" && refusal.contains(reason), "\(refusal)")
        expect(bench.ask("READ events").count == 5, "everything else is served")
    }
}
