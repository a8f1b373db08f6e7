import LoopSupport
import StoryCluster
import StoryCore
import StoryServer
import TestSupport
import Testing

/// Writes that clients send to a node that follows: the shipped loops, and the links between them.
struct ForwardingTests {
    private func append(_ number: Int, key: String? = nil) -> String {
        "@\(number) APPEND note-1 \(key.map { "key=\($0) " } ?? "")" + #"{"type":"A","data":\#(number)}"#
    }

    @Test func `a write at a follower is the leader's, and its client reads it at once`() {
        let nodes = LinkedNodes(2)
        let heard = nodes.ask(append(1), "@2 READ events", "@3 GET users/1", at: 1)
        expect(heard.map { $0.prefix(3) } == ["+@1", "=@2", "+@2", "-@3"], "\(heard)")
        expect(heard.first?.number("position") == 1 && heard[1].number("by") == 1_000)
        expect(nodes.bench.nodes[0].log.head == Position(1))
        let user = #"POST users {"id":"7","name":"Ana","email":"a@b.org","prefecture":1}"#
        expect(nodes.ask(user, at: 1).last?.text("id") == "7")
        expect(nodes.ask("GET users/7", at: 1).last?.text("name") == "Ana")
        let both = #"APPEND * [{"stream":"a-1","type":"X","data":1},{"stream":"b-1","type":"Y","data":2}]"#
        expect(nodes.ask(both, at: 1).map { $0.number("position") } == [3, 4, 4])
    }

    @Test func `a reply waits until the follower has its position, and what comes behind it waits as well`() {
        let nodes = LinkedNodes(2)
        nodes.bench.etcds[1].isCut = true
        expect(nodes.ask(append(1), "@2 READ events", "@3 NO", at: 1) == [])
        expect(nodes.bench.nodes[0].log.head == Position(1), "the leader has it")
        nodes.bench.etcds[1].isCut = false
        nodes.settle()
        expect(nodes.bench.nodes[1].hear("a").map { $0.prefix(3) } == ["+@1", "=@2", "+@2", "-@3"])
        nodes.bench.etcds[1].isCut = true
        expect(nodes.ask(append(4), at: 1) == [])
        nodes.tick(101)
        expect(nodes.bench.nodes[1].hear("a").map { $0.number("position") } == [2], "after the patience anyway")
    }

    @Test func `a refusal waits until the follower has the event that it rests on`() {
        let nodes = LinkedNodes(2)
        nodes.bench.etcds[1].isCut = true
        expect(nodes.bench.ask(append(1)).first?.hasPrefix("+@1") == true)
        nodes.settle()
        expect(nodes.ask(#"APPEND note-1 version=0 {"type":"A","data":2}"#, at: 1) == [])
        nodes.bench.etcds[1].isCut = false
        nodes.settle()
        expect(nodes.bench.nodes[1].hear("a").map { $0.number("actual") } == [1])
        expect(nodes.ask("READ events/note-1", at: 1).count == 2)
    }

    @Test func `a client that sends no more gets its replies before the connection ends`() {
        let nodes = LinkedNodes(2)
        nodes.send([append(1), append(2)], to: 1)
        nodes.bench.nodes[1].endSending("a")
        expect(!nodes.bench.nodes[1].isFinished("a"))
        nodes.settle()
        expect(nodes.bench.nodes[1].hear("a").map { $0.number("position") } == [1, 2])
        expect(nodes.bench.nodes[1].isFinished("a"))
    }

    @Test func `a line as long as a client may send it is passed on`() {
        let nodes = LinkedNodes(2)
        let start = #"APPEND note-1 {"type":"A","data":""#
        let line = start + String(repeating: "x", count: Limits().line - start.utf8.count - 2) + "\"}"
        expect(nodes.ask(line, at: 1).first?.number("position") == 1)
        expect(nodes.ask(line + " ", at: 0).first?.text("code") == "tooLarge", "no longer one of a node's own")
    }

    @Test func `where the link breaks, a write with a key has its first receipt, and one without is unknown`() {
        let nodes = LinkedNodes(2)
        nodes.bench.etcds[0].fate = { $0.isEntry ? .held : .answered }
        nodes.send([append(1, key: "k1"), append(2)], to: 1)
        nodes.step()
        nodes.bench.settle()
        expect(nodes.bench.etcds[0].heldCount == 1)
        nodes.breakLink(of: 1)
        nodes.bench.etcds[0].fate = { _ in .answered }
        nodes.bench.etcds[0].release()
        nodes.settle()
        let heard = nodes.bench.nodes[1].hear("a")
        expect(heard.map { $0.prefix(3) } == ["+@1", "-@2"], "\(heard)")
        expect(heard[0].number("position") == 1 && heard[0].contains(#""repeated":true"#))
        expect(heard[1].text("outcome") == "unknown")
        expect(nodes.bench.nodes[0].log.head == Position(2), "each once")
    }

    @Test func `a leader that is killed is replaced without waiting for its lease`() {
        let nodes = LinkedNodes(3)
        expect(nodes.ask(append(1), at: 2).count == 1)
        nodes.kill(0)
        nodes.settle()
        expect(nodes.bench.nodes[1].said("leader-gone") + nodes.bench.nodes[2].said("leader-gone") >= 1)
        expect(nodes.ask(append(2), at: 1).map { $0.number("position") } == [2], "and no time has gone by")
        expect(nodes.ask(append(3), at: 2).map { $0.number("position") } == [3])
    }

    @Test func `what waits for a leader is carried out here once this node leads, in its order`() {
        let nodes = LinkedNodes(2)
        nodes.bench.etcds[1].fate = { _ in .held }
        nodes.kill(0)
        expect(nodes.ask(append(1, key: "k"), append(2), "@3 READ events", at: 1) == [])
        nodes.bench.etcds[1].fate = { _ in .answered }
        nodes.bench.etcds[1].release()
        nodes.settle()
        let heard = nodes.bench.nodes[1].hear("a")
        expect(heard.map { $0.prefix(3) } == ["+@1", "+@2", "=@3", "=@3", "+@3"], "\(heard)")
        expect(heard.prefix(2).map { $0.number("position") } == [1, 2])
    }

    @Test func `of what waits for a leader a write with a long fold is given back, and the others are carried out`() {
        var limits = Limits()
        limits.shortFold = .zero
        let nodes = LinkedNodes(2, limits)
        let text = "from note; n: number = 0; on A { n += 1 }"
        expect(nodes.ask("DEFINE sums \"\(text)\"", at: 0).last?.hasPrefix("+") == true)
        nodes.tick(5)
        let position = nodes.ask(append(1), at: 0).last?.number("position") ?? 0
        nodes.tick(5)
        nodes.bench.etcds[1].fate = { _ in .held }
        nodes.kill(0)
        expect(nodes.ask(append(2), #"@3 APPEND other-1 {"type":"A","data":1}"#, at: 1) == [])
        nodes.bench.etcds[1].fate = { _ in .answered }
        nodes.bench.etcds[1].release()
        nodes.settle()
        let heard = nodes.bench.nodes[1].hear("a")
        expect(heard.map { $0.prefix(3) } == ["-@2", "+@3"], "\(heard)")
        expect(heard.first?.text("outcome") == "none" && heard.last?.number("position") == position + 1)
        expect(nodes.ask("GET sums/1", at: 1).last?.number("n") == 1)
        expect(nodes.ask(append(4), at: 1).last?.hasPrefix("+@4") == true)
    }

    @Test func `a leader that ends gives back what it has not carried out, and the next one does`() {
        let nodes = LinkedNodes(2)
        nodes.bench.nodes[0].server.signalReceived(15)
        nodes.send([append(1), append(2)], to: 1)
        nodes.settle()
        nodes.tick(2)
        expect(nodes.bench.nodes[1].hear("a").map { $0.number("position") } == [1, 2])
    }

    @Test func `without a leader a write fails after the patience, and was not carried out`() {
        let nodes = LinkedNodes(2)
        for etcd in nodes.bench.etcds { etcd.isCut = true }
        nodes.kill(0)
        expect(nodes.ask(append(1, key: "k"), "@2 PING", at: 1) == [])
        nodes.tick(101)
        let heard = nodes.bench.nodes[1].hear("a")
        expect(heard.map { $0.prefix(3) } == ["-@1", "+@2"] && heard.first?.text("outcome") == "none", "\(heard)")
    }

    @Test func `a node that does not lead refuses what is passed on to it, and ends the connection`() {
        let nodes = LinkedNodes(2)
        let heard = nodes.ask(#"@7 AS 5 APPEND note-1 {"type":"A","data":1}"#, "@8 PING", at: 1)
        expect(heard.map { $0.prefix(3) } == ["-@7", "* {"], "\(heard)")
        expect(heard.first?.text("outcome") == "none" && nodes.bench.nodes[1].isFinished("a"))
    }

    @Test func `the author of a write is the user whom a node names, and others may not name one`() {
        let nodes = LinkedNodes(1)
        let write = #"AS 5 APPEND note-1 {"type":"A","data":1}"#
        expect(nodes.ask(write, "AS 5 AS 6 PING", "AS 5 GET users/1", at: 0).map { $0.first } == ["+", "-", "-"])
        expect(nodes.ask("READ events", at: 0).first?.number("by") == 5)
        let alone = LoopBench()
        alone.connected("a")
        expect(alone.ask(write, from: "a").last?.text("code") == "denied", "a store of its own has no nodes")
    }
}
