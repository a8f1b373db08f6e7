import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// `min=`: requests that wait until a store is at a position.
struct PositionWaitTests {
    private let event = #"APPEND note-1 {"type":"A","data":1}"#

    /// Events at the source that its replica does not get.
    private func parted(_ count: Int) -> ReplicaBench {
        let bench = ReplicaBench()
        bench.tick()
        bench.isConnected = false
        for _ in 0..<count { expect(bench.write(event).hasPrefix("+")) }
        return bench
    }

    @Test(arguments: [
        "PING", "GET users/1", "LIST users", "READ events", "COUNT events", "STREAMS", "SUBSCRIBE events",
    ])
    func `a query waits until the replica has the event, and later requests of its connection wait behind it`(
        query: String
    ) {
        let bench = parted(3)
        bench.replica.send("@a \(query) min=3", "@b PING", from: "r")
        bench.replica.connected("other")
        expect(bench.replica.hear("r") == [], "it waits")
        expect(bench.replica.ask("PING", from: "other") == [#"+ {"position":0}"#], "others do not")
        bench.isConnected = true
        bench.settle()
        let closing = bench.replica.hear("r").filter { !$0.hasPrefix("=") && !$0.hasPrefix(">") }
        expect(closing.map { String($0.dropFirst().prefix(2)) } == ["@a", "@b"])
        expect(closing.last == #"+@b {"position":3}"#)
    }

    @Test
    func `once the patience is over it is behind, with the last event that is here, and the next request follows`() {
        let bench = parted(3)
        bench.replica.send("@a READ events min=3", "@b PING", from: "r")
        bench.replica.tick(99)
        expect(bench.replica.hear("r") == [])
        bench.replica.tick()
        let message = "this store is at position 0; ask again later, or another one"
        expect(
            bench.replica.hear("r") == [
                #"-@a {"code":"behind","message":"\#(message)","retry":"later","position":0}"#, #"+@b {"position":0}"#,
            ])
    }

    @Test func `pushes go on while a request of the connection waits`() {
        let bench = parted(2)
        expect(bench.replica.ask("SUBSCRIBE events from=1", from: "r").count == 2)
        bench.replica.send("PING min=9", from: "r")
        bench.isConnected = true
        bench.settle()
        expect(bench.replica.hear("r").map { $0.number("position") } == [1, 2])
    }

    @Test func `min=now asks the source first, once for all that wait`() {
        let bench = parted(2)
        bench.replica.connected("other")
        bench.replica.send("PING min=now", from: "r")
        bench.replica.send("PING min=now", from: "other")
        expect(bench.replica.hear("r") == [])
        expect(bench.write(event).hasPrefix("+"))
        bench.isConnected = true
        bench.settle()
        expect(
            bench.replica.hear("r") == [#"+ {"position":3}"#] && bench.replica.hear("other") == [#"+ {"position":3}"#])
        expect(bench.ask("LIST users min=now").last?.number("position") == 3)
    }

    @Test func `min=now waits for a source that is gone, and is behind after that`() {
        let bench = parted(0)
        bench.breakLink()
        bench.replica.transport.listeners = [:]
        bench.isConnected = true
        bench.replica.send("PING min=now", from: "r")
        bench.tick(100)
        expect(bench.replica.hear("r").first?.text("code") == "behind")
    }

    @Test func `a subscription from a position that a replica has not reached begins there`() {
        let bench = parted(2)
        bench.replica.send("SUBSCRIBE events from=3", from: "r")
        expect(bench.replica.hear("r") == [])
        bench.isConnected = true
        bench.settle()
        expect(bench.replica.hear("r").first == #"+ {"subscription":1,"position":2}"#)
        expect(bench.write(event).hasPrefix("+"))
        bench.settle()
        expect(bench.replica.hear("r").last?.number("position") == 3)
        expect(bench.source.ask("SUBSCRIBE events from=9", from: "s").first?.text("code") == "invalid")
    }

    @Test func `a store of its own waits likewise, and is always at the present`() {
        let bench = LoopBench()
        bench.connected("a", "b")
        expect(bench.ask("PING min=0", from: "a") == [#"+ {"position":0}"#])
        expect(bench.ask("LIST users min=now", from: "a").last == #"+ {"count":0,"position":0}"#)
        bench.send("GET users/1 min=2", from: "a")
        bench.send(event, from: "b")
        expect(bench.hear("a") == [])
        bench.send(event, from: "b")
        expect(bench.hear("a").first?.text("code") == "notFound")
        bench.send("PING min=3", from: "a")
        bench.tick(100)
        expect(bench.hear("a").first?.hasPrefix(#"- {"code":"behind","#) == true)
    }

    @Test func `a client that goes while it waits is forgotten, and one that is asked to go gets its reply`() {
        let bench = LoopBench()
        bench.connected("a", "b")
        for name in ["a", "b"] { bench.send("@w PING min=5", from: name) }
        bench.close("a")
        bench.server.signalReceived(15)
        bench.run()
        expect(bench.hear("b").first?.hasPrefix(#"-@w {"code":"draining""#) == true)
    }
}
