import LoopSupport
import StoryCluster
import StoryCore
import StoryReactor
import StoryServer
import TestSupport

// The clients, each at one node at a time.
extension NodesSimulation {
    /// The node that the ordering service says leads, where it runs.
    func leader() -> SimulatedNode? {
        let name = shared.etcd.pairs[LogKeys(log: "main").leader]?.field("node")
        return nodes.first { $0.name == name && $0.isUp }
    }

    /// The position that the first entry in the ordering service begins at.
    var firstInTail: Int? {
        let keys = LogKeys(log: "main")
        let first = shared.etcd.pairs.keys.filter { $0.hasPrefix(keys.entries) }.min()
        return first.flatMap { keys.first(ofKey: $0) }.map { Int($0.value) }
    }

    func connected() -> Client? { clients.filter(\.isConnected).randomElement(using: &random) }

    func connect() {
        guard let client = clients.filter({ !$0.isConnected }).randomElement(using: &random) else { return }
        connect(client)
    }

    /// Connects a client to the node that leads, or to any.
    func connect(_ client: Client) {
        let up = nodes.filter { $0.running?.isStopped == false }
        guard let any = up.randomElement(using: &random) else { return }
        let leader = leader().flatMap { leader in up.first { $0 === leader } }
        // At the end one is where a write succeeds.
        let isAtLeader = isSettling && client === clients[0] || random.oneIn(2)
        connect(client, to: isAtLeader ? leader ?? any : any)
    }

    private func connect(_ client: Client, to node: SimulatedNode) {
        guard let process = node.running else { return }
        client.node = node.number
        process.loop.connect(client.name)
        client.isConnected = true
        for follower in client.followers where follower.number == nil {
            add(.subscribe(follower), follower.request, to: client)
        }
    }

    func disconnect(_ client: Client) {
        guard client.isConnected, let process = nodes[client.node].running else { return }
        process.loop.close(client.name)
        client.disconnected()
    }

    func setTaking(_ client: Client, _ isTaking: Bool) {
        guard let process = nodes[client.node].running, client.isConnected else { return }
        client.isTaking = isTaking
        process.loop.setTaking(client.name, isTaking)
    }

    // MARK: Requests

    /// A client writes at a node: one that is there, or one that waits for nothing.
    func write(at node: SimulatedNode) {
        guard node.running?.isStopped == false else { return }
        let there = clients.first { $0.isConnected && $0.node == node.number && $0.waiting.count < 4 }
        guard let client = there ?? clients.filter(\.isQuiet).randomElement(using: &random) else { return }
        if there == nil { disconnect(client) }
        if !client.isConnected { connect(client, to: node) }
        // The process of the node that it is at may be paused.
        guard client.node == node.number else { return }
        let number = answers.all.count + 1
        let (write, line) = draw.write(number)
        add(.write(write), line, to: client)
        deliver(client, client.unsent.count)
    }

    func send() {
        guard let client = connected() else { return connect() }
        // One whose request waits for long goes elsewhere now and then.
        if client.waiting.count > 4, random.oneIn(3) { return disconnect(client) }
        if client.unsent.isEmpty || random.oneIn(4) {
            for _ in 0...below(random.pick(1, 2, 8)) { ask(client) }
        }
        deliver(client, random.oneIn(5) ? below(client.unsent.count) : client.unsent.count)
    }

    /// What it sends reaches the node, unless that leaves it in the socket.
    func deliver(_ client: Client, _ count: Int) {
        guard count > 0, client.isConnected, let process = nodes[client.node].running, !process.isStopped,
            !process.loop.isPaused(client.name)
        else { return }
        let bytes = client.takeUnsent(min(count, process.loop.transport.mostRead ?? Reactor.readBufferSize))
        story.add("\(client.name) > \(nodes[client.node].name) \(String(decoding: bytes, as: UTF8.self))")
        process.loop.receive(bytes, from: client.name)
    }

    @discardableResult
    func add(_ asked: Sent.Asked, _ line: String, to client: Client, since: Int? = nil) -> Sent {
        let line = twisted?.asked(line) ?? line
        let sent = Sent(answers.all.count + 1, asked, line, since: max(since ?? 0, nodes[client.node].acknowledged))
        answers.add(sent)
        client.add(sent)
        return sent
    }

    private func ask(_ client: Client) {
        draw.times = world.events.suffix(20).map(\.event.time)
        let number = answers.all.count + 1
        if habits.erases, number % 24 == 23, answers.promised > 0 {
            let asked = draw.erasure(number / 24, through: answers.promised)
            return _ = add(.erase(asked), asked.text(number), to: client)
        }
        switch below(20) {
        case 0...11:
            let (write, line) = draw.write(number)
            add(.write(write), line, to: client)
        case 12...16: query(client)
        case 17:
            let follower = Follower(draw.follower(), from: 1 + below(world.committed + 1))
            client.follow(follower)
            add(.subscribe(follower), follower.request, to: client)
        case 18:
            guard let follower = client.followers.first(where: { $0.number != nil && !$0.isOver }) else { return }
            follower.isOver = true
            add(.unsubscribe(follower), "UNSUBSCRIBE \(follower.number ?? 0)", to: client)
        default:
            guard let lost = client.lost.randomElement(using: &random) else { return }
            (lost.status, lost.since) = (.waiting, nodes[client.node].acknowledged)
            client.add(lost)
        }
    }

    /// Asks a question, some of them for no older state than one that somebody was told of.
    private func query(_ client: Client) {
        let query = draw.query(world.committed, after: answers.pages)
        guard query.takesMinimum, random.oneIn(2) else { return _ = add(.query(query), query.text, to: client) }
        let position = random.oneIn(3) ? answers.promised : nil
        add(
            .query(query), query.text + " min=" + (position.map { "\($0)" } ?? "now"), to: client,
            since: position ?? world.committed)
    }
}
