import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport
import Testing

/// A node whose ordering service is away, full or silent: each write has the outcome that its client is given.
struct NodeOutcomeTests {
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    /// A bench whose node leads.
    private func led() -> NodeBench {
        let bench = NodeBench()
        bench.settle()
        expect(bench.leader == 0)
        return bench
    }

    @Test func `greeting and STATS have the log, the node, its state and the leader`() {
        let bench = NodeBench()
        bench.etcds[0].isCut = true
        bench.nodes[0].connect("b")
        bench.nodes[0].run()
        let early = bench.nodes[0].hear("b").first
        expect(early?.hasSuffix(#","cluster":{"log":"main","node":"n1","state":"catchingUp"}}"#) == true)
        expect(early?.contains(#""durable":"quorum""#) == true)
        bench.etcds[0].isCut = false
        bench.tick(10)
        bench.nodes[0].connect("c")
        bench.nodes[0].run()
        let late =
            #","cluster":{"log":"main","node":"n1","state":"leading","leader":"n1","address":"/n1"}}"#
        expect(bench.nodes[0].hear("c").first?.hasSuffix(late) == true)
        expect(bench.ask("STATS").last?.contains(#""address":"/n1","term":"#) == true)
    }

    @Test(arguments: [DrivenEtcd.Fate.unanswered, .lost])
    func `a write whose outcome stays unknown says so, and is there once or never`(fate: DrivenEtcd.Fate) {
        let bench = led()
        expect(bench.ask(append).map { $0.number("position") } == [1])
        bench.etcds[0].fate = { $0.isEntry ? fate : .answered }
        bench.nodes[0].connected("b")
        bench.etcds[0].isCut = fate == .lost
        if fate == .unanswered {
            bench.nodes[0].send(#"POST users {"id":"1","name":"Ana","email":"a@b.org","prefecture":1}"#, from: "a")
            bench.nodes[0].run()
            _ = bench.etcds[0].deliver()
            bench.etcds[0].isCut = true
        } else {
            expect(bench.ask(#"POST users {"id":"1","name":"Ana","email":"a@b.org","prefecture":1}"#) == [])
        }
        bench.nodes[0].send(append, #"APPEND note-2 key=k {"type":"A","data":1}"#, from: "b")
        bench.tick(90)
        expect(bench.nodes[0].hear("a") == [])
        bench.tick(30)
        let (told, behind) = (bench.nodes[0].hear("a"), bench.nodes[0].hear("b"))
        expect(told.map { $0.text("outcome") } == ["unknown"] && told.map { $0.text("retry") } == ["refetch"])
        expect(behind.map { $0.text("outcome") } == ["unknown", "unknown"], "so was the turn behind it")
        expect(behind.map { $0.text("retry") } == ["refetch", "same"], "the second has a key")
        expect(bench.nodes[0].log.head == Position(1))
        bench.etcds[0].isCut = false
        bench.etcds[0].fate = { _ in .answered }
        bench.tick(60)
        let isThere = fate == .unanswered
        expect(bench.ask("GET users/1").last?.hasPrefix("+") == isThere)
        expect(bench.ask(append).map { $0.number("position") } == [isThere ? 3 : 2])
        expect(bench.ask("READ events").count == (isThere ? 4 : 3))
    }

    @Test func `a write is full where etcd is, and accepted once there is room`() {
        let bench = led()
        bench.shared.etcd.isFull = true
        var told: [String] = []
        // The write that fills the ordering service is carried out.
        for _ in 0..<3 where told.first?.hasPrefix("-") != true { told = bench.ask(append) }
        expect(told.map { $0.text("code") } == ["full"], "\(told)")
        bench.shared.etcd.isFull = false
        bench.tick(20)
        expect(bench.ask(append).last?.hasPrefix("+") == true)
    }

    @Test func `a write waits for a leader, and is refused when none comes in time`() {
        let bench = NodeBench()
        bench.etcds[0].isCut = true
        expect(bench.ask(append) == [])
        bench.tick(99)
        expect(bench.nodes[0].hear("a") == [])
        bench.tick(3)
        expect(bench.nodes[0].hear("a").map { $0.text("outcome") } == ["none"])
        expect(bench.ask("PING") == [#"+ {"position":0}"#], "queries are answered meanwhile")
        expect(bench.ask(append) == [])
        bench.etcds[0].isCut = false
        bench.tick(10)
        expect(bench.nodes[0].hear("a").map { $0.number("position") } == [1])
    }

    @Test func `a node that reaches no etcd ends when it is asked to`() {
        let bench = led()
        bench.etcds[0].isCut = true
        bench.nodes[0].server.signalReceived(15)
        bench.settle()
        expect(bench.nodes[0].transport.isListening)
        bench.tick(101)
        expect(!bench.nodes[0].transport.isListening, "after the patience")
    }
}
