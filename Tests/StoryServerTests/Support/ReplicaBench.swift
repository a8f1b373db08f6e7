import LoopSupport
import StoryCore
import StoryReactor
import StoryServer
import StoryStorage
import TestSupport

/// A replica beside its source, both over memory, and the bytes between them.
final class ReplicaBench {
    let source: LoopBench
    let replica: LoopBench
    /// False while nothing gets from one to the other.
    var isConnected = true
    private var link: ConnectionID?
    private var links = 0

    init(_ limits: Limits = Limits(), seal: String = "same") {
        let inline = BackgroundStarter { work in
            work()
            return true
        }
        source = LoopBench(limits, seal: "same", background: inline)
        replica = LoopBench(limits, follow: "/source", seal: seal, background: inline)
        replica.transport.listeners["/source"] = ConnectionID(1_000_000)
        source.connected("s")
        replica.connected("r")
    }

    /// The source's connection to the replica.
    private var peer: String { "replica-\(links)" }

    /// Asks the source.
    func write(_ line: String) -> String { source.ask(line, from: "s").last ?? "" }

    /// Asks the replica, whose link moves meanwhile.
    func ask(_ line: String) -> [String] {
        replica.send(line, from: "r")
        settle()
        return replica.hear("r")
    }

    /// Has the source do something, the records of which reach the replica in the turn of a question, before that.
    func ask(_ line: String, behind write: String) -> [String] {
        source.send(write, from: "s")
        _ = deliver()
        replica.receive(line + "\n", from: "r")
        replica.endTurn()
        let heard = replica.hear("r")
        settle()
        return heard
    }

    /// Tenths of a second go by at the replica.
    func tick(_ count: Int = 1) {
        for _ in 0..<count {
            replica.tick()
            settle()
        }
    }

    /// The source is gone, and there again at once.
    func breakLink() {
        guard let link else { return }
        self.link = nil
        source.close(peer)
        replica.transport.close(link)
        replica.server.connectionClosed(link)
    }

    /// Moves bytes until none move any more.
    func settle() {
        repeat {
            source.run()
            replica.run()
        } while isConnected && move()
    }

    /// Moves bytes once; returns false where there are none.
    func step() -> Bool {
        source.run()
        replica.run()
        return move()
    }

    private func move() -> Bool {
        let made = replica.transport.outbound.last
        if let link, made != link {
            source.close(peer)
            self.link = nil
        }
        guard let made else { return false }
        if link == nil {
            links += 1
            source.connect(peer)
            source.run()
            link = made
        }
        let asked = replica.transport.takeLines(made)
        for line in asked { source.receive(line + "\n", from: peer) }
        // The socket of a replica that reads nothing is full.
        source.setTaking(peer, !replica.transport.isPaused(made))
        return deliver() || !asked.isEmpty
    }

    /// Takes the lines of the source to the replica; returns false where there are none.
    private func deliver() -> Bool {
        guard let link else { return false }
        let told = source.hear(peer)
        for line in told {
            Array((line + "\n").utf8).withUnsafeBytes { replica.server.bytesReceived(link, $0) }
        }
        return !told.isEmpty
    }
}
