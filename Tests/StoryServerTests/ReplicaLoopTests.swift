import LoopSupport
import StoryCore
import StoryEngine
import StoryLog
import StoryServer
import TestSupport
import Testing

/// A replica beside its source: the shipped loops over memory.
struct ReplicaLoopTests {
    private static let writes = [
        #"POST users {"id":"1","name":"Ana","email":"ana@example.org","prefecture":13}"#,
        #"POST users {"id":"2","name":"Bo","email":"bo@example.org","prefecture":1}"#,
        #"APPEND note-1 key=k1 {"type":"A","data":{"n":1},"tags":["t"]}"#,
        #"APPEND * key=k2 [{"stream":"a-1","type":"X","data":1},{"stream":"b-1","type":"Y","data":2}]"#,
        #"EDIT users/1 {"name":"Anna"}"#,
    ]
    private static let queries = [
        "GET users/1", "GET users/1 at=1", "LIST users", "COUNT users", "STREAMS", "TYPES", "READ events", "PING",
        "COUNT events", "MODELS", "SORTS users", "GET users/3",
    ]

    private func followed(_ limits: Limits = Limits()) -> ReplicaBench {
        let bench = ReplicaBench(limits)
        bench.tick()
        for line in Self.writes { expect(bench.write(line).hasPrefix("+")) }
        bench.settle()
        return bench
    }

    private func records(_ log: MemoryEventLog) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try log.scanRecords(from: Position(1), through: log.head) { _, bytes in
            records.append(Array(bytes))
            return true
        }
        return records
    }

    @Test func `a replica has the same records and answers as its source, and pushes the same events`() throws {
        let bench = followed()
        expect(try records(bench.replica.log) == records(bench.source.log) && bench.replica.log.head == Position(6))
        expect(bench.replica.log.committed == Position(6))
        for query in Self.queries { expect(bench.ask(query) == bench.source.ask(query, from: "s"), "\(query)") }
        expect(bench.ask("SUBSCRIBE events from=5").count == 4)
        expect(bench.write(Self.writes[2].replacing("k1", with: "k3")).hasPrefix("+"))
        bench.settle()
        expect(bench.replica.hear("r").map { $0.number("position") } == [7])
        expect(bench.replica.said(" following source=/source position=0") == 1, "\(bench.replica.trace)")
    }

    @Test func `every write is refused with the address of the source, but a key that was seen has its receipt`() {
        let bench = followed()
        let refusal =
            #"- {"code":"notLeader","message":"this store is a replica and takes no writes: send it to /source","#
            + #""retry":"never","address":"/source"}"#
        for line in [
            #"POST users {"name":"C","email":"c@example.org","prefecture":1}"#, #"EDIT users/1 {"name":"X"}"#,
            "DELETE stories/9", #"APPEND note-1 {"type":"A","data":1}"#,
            #"APPEND note-1 key=new {"type":"A","data":1}"#,
            #"APPEND * [{"stream":"a-1","type":"X","data":1}]"#, "UNDEFINE orders",
            #"DEFINE orders "from order; total: number; on Placed { total = data.total }""#,
        ] { expect(bench.ask(line) == [refusal], "\(line)") }
        let known = Self.writes[2]
        expect(bench.ask(known) == [bench.write(known)] && bench.write(known).contains(#""repeated":true"#))
        expect(bench.ask(#"APPEND note-2 key=k1 {"type":"B","data":1}"#).first?.text("code") == "keyReused")
        expect(bench.replica.log.head == bench.source.log.head)
    }

    @Test func `greeting and STATS have the state of the replica, and nothing of it at its source`() {
        let bench = ReplicaBench()
        bench.replica.connect("a")
        bench.replica.run()
        let early = bench.replica.hear("a").first
        expect(early?.hasSuffix(#","cluster":{"state":"catchingUp","address":"/source"}}"#) == true, "\(early ?? "")")
        bench.tick()
        bench.replica.connect("b")
        bench.replica.run()
        expect(bench.replica.hear("b").first?.contains(#"{"state":"following""#) == true)
        let cluster = #""cluster":{"state":"following","address":"/source","position":0,"lag":0,"silence":"#
        expect(bench.ask("STATS").first?.contains(cluster) == true)
        expect(bench.source.ask("STATS", from: "s").first?.contains("cluster") == false)
        bench.source.connect("c")
        bench.source.run()
        expect(bench.source.hear("c").first?.contains("cluster") == false)
    }

    @Test func `METRICS has the events that a replica lacks, and none at its source`() throws {
        func lag(_ lines: [String]) throws -> Int? {
            let text = try require(lines.first { $0.text("family") == "storykeep_replica_lag_events" })
            return text.firstMatch(of: /storykeep_replica_lag_events (\d+)/).flatMap { Int($0.1) }
        }
        let bench = ReplicaBench()
        let append = #"APPEND note-1 {"type":"A","data":{}}"#
        bench.source.send(Array(repeating: append, count: 6_000).joined(separator: "\n"), from: "s")
        bench.isConnected = false
        bench.tick()
        expect(try lag(bench.replica.ask("METRICS", from: "r")) == nil, "nothing is known of the source")
        var greatest = 0
        while bench.step() { greatest = max(greatest, try lag(bench.replica.ask("METRICS", from: "r")) ?? 0) }
        expect(greatest == 6_000)
        expect(try lag(bench.replica.ask("METRICS", from: "r")) == 0 && bench.replica.log.head == Position(6_000))
        _ = bench.source.hear("s")
        expect(try lag(bench.source.ask("METRICS", from: "s")) == 0)
    }

    @Test func `a link that breaks is made again, and nothing is lost or taken twice`() throws {
        let bench = followed()
        bench.breakLink()
        for line in Self.writes[2...2] { expect(bench.write(line.replacing("k1", with: "k4")).hasPrefix("+")) }
        bench.settle()
        expect(bench.replica.log.head == Position(6))
        expect(bench.ask("STATS").first?.contains(#""state":"catchingUp""#) == true)
        bench.tick(2)
        expect(try records(bench.replica.log) == records(bench.source.log) && bench.replica.log.head == Position(7))
        expect(bench.replica.said("source-lost") == 1 && bench.replica.said("source-found") == 2)
    }

    @Test func `a replica whose seal differs stops, and says where`() {
        let bench = ReplicaBench(seal: "another")
        expect(bench.write(Self.writes[0]).hasPrefix("+"))
        bench.tick()
        expect(bench.replica.log.head == Position(1), "an empty log cannot differ")
        bench.breakLink()
        for _ in 0..<60 where !bench.replica.transport.isStopped { bench.tick() }
        expect(bench.replica.transport.isStopped, "a difference that is found twice stops the replica")
        expect(bench.replica.said("another seal at position 1:") >= 1, "\(bench.replica.trace)")
        expect(bench.replica.server.ending?.exitCode == 5)
    }

    // MARK: Back-pressure

    @Test func `events are answered before they are stored here, and a slow disk holds the source back`() {
        let bench = ReplicaBench()
        bench.tick()
        bench.replica.makeSlow()
        let event = #"{"type":"A","data":"\#(String(repeating: "x", count: 1_000))"}"#
        let many = "APPEND note-1 [" + Array(repeating: event, count: 100).joined(separator: ",") + "]"
        for _ in 0..<80 { expect(bench.write(many).hasPrefix("+")) }
        bench.settle()
        let head = bench.replica.log.head.value
        expect(head < 8_000 && head > 1_000, "a commit takes 2 MiB, and the next one as much")
        expect(
            bench.ask("PING") == [#"+ {"position":\#(head)}"#] && bench.replica.log.committed < bench.replica.log.head)
        expect(bench.source.transport.unsentTotal <= 600_000, "what waits at the source is bounded")
        bench.replica.commits.isHeld = false
        while bench.replica.log.head < bench.source.log.head {
            bench.replica.commits.end()
            bench.replica.server.woken()
            bench.settle()
        }
        expect(bench.ask("PING") == [#"+ {"position":8000}"#])
    }

    @Test func `a replica whose disk is full takes nothing more, answers, and goes on once there is room`() {
        let bench = followed()
        bench.replica.log.commitFailure = .full("no room")
        expect(bench.write(#"APPEND note-1 {"type":"A","data":1}"#).hasPrefix("+"))
        bench.settle()
        expect(bench.replica.log.head == Position(7) && bench.replica.log.committed == Position(6))
        expect(bench.ask("PING") == [#"+ {"position":7}"#], "what is acknowledged is not undone")
        for _ in 0..<3 { expect(bench.write(#"APPEND note-1 {"type":"A","data":1}"#).hasPrefix("+")) }
        bench.settle()
        expect(bench.replica.log.head == Position(7), "nothing is taken while the disk is full")
        bench.tick(12)
        expect(bench.replica.log.head == Position(10) && bench.replica.log.committed == Position(10))
        expect(bench.ask("PING") == [#"+ {"position":10}"#])
    }
}

extension LoopBench {
    /// From now on commits go beside the loop and end when the test says so.
    fileprivate func makeSlow() {
        connected("another")
        commits.isHeld = true
    }
}
