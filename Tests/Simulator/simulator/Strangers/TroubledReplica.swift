import LoopSupport
import StoryCore
import StoryLog
import StoryReactor
import StoryServer
import StoryStorage
import StoryWire
import TestSupport

/// A replica over memory of a process, whose source is another peer now and then, which greets as the source does, and
/// then sends nothing, or nonsense.
final class TroubledReplica {
    /// The behaviour of a peer in the place of the source.
    private enum Impostor: CaseIterable {
        case saysNothing, greetsAndIsSilent, sendsNonsense, sendsHalfALine, sendsNoEnd
    }

    private static let address = "/source"
    /// The most bytes that are taken of a line without an end: the longest line, and what is read at a time.
    private static let longest = SourceLineReader.maxCount + (2 << 20)
    /// The most connections that a replica has.
    private static let mostLinks = 1

    let log: MemoryEventLog
    private let process: SimulatedProcess
    private let loop: DrivenLoop
    private let identity: LogID
    /// The connection to the source, and its name there.
    private var link: (id: ConnectionID, name: String)?
    private var count = 0

    init(of process: SimulatedProcess, _ bug: PlantedBug?) throws {
        self.process = process
        let source = process.store.log
        identity = source.identity.id
        log = MemoryEventLog(storeID: source.storeID)
        let jobs = LogJobs(source, process.store.models)
        loop = try DrivenLoop(
            log: log, models: MemoryModels(),
            logWork: LogJobs(verify: { _, _, _ in { [] } }, backUp: { _, _ in { [] } }, seal: { jobs.seal($0) }),
            commits: HeldCommits(isHeld: false),
            background: BackgroundStarter { work in
                work()
                return true
            }, follow: TroubledReplica.address,
            through: { sockets in
                if let bug { TwistedTransport(sockets, bug) } else { sockets }
            })
        loop.transport.listeners[TroubledReplica.address] = ConnectionID(1_000_000)
    }

    /// The last event that it has.
    var head: Int { Int(log.head.value) }

    // MARK: Impostors

    /// Somebody else is where the source was, for some seconds at most.
    ///
    /// - Throws: where the replica keeps a connection on which nonsense came, or more of it than a line.
    func meetImpostor(_ random: inout SplitMix64, position: Int) throws {
        let kind = Impostor.allCases.randomElement(using: &random) ?? .saysNothing
        try awaitLink()
        guard let id = loop.transport.outbound.last else { throw Difference("a replica does not connect for 4 s") }
        if kind != .saysNothing { send(greeting(at: position), to: id) }
        switch kind {
        case .saysNothing, .greetsAndIsSilent: break
        case .sendsNonsense: send(nonsense(&random), to: id)
        case .sendsHalfALine: send("> {\"records\":\"" + String(repeating: "A", count: 100_000), to: id)
        case .sendsNoEnd: try sendWithoutEnd(to: id)
        }
        if kind == .sendsNonsense, loop.transport.outbound.contains(id) {
            throw Difference("a replica goes on with a source that sends nonsense")
        }
        try tick(random.pick(1, 20, 120))
        if loop.transport.outbound.contains(id) { end(id) }
    }

    private func greeting(at position: Int) -> String {
        #"* {"server":"storykeep","protocol":1,"position":\#(position),"log":"\#(identity)"}"# + "\n"
    }

    private func nonsense(_ random: inout SplitMix64) -> String {
        random.pick("\n", "nonsense\n", "> {\n", "+@send\n", "\u{0}\u{1}\u{2}\n", "* {}x\n", "> 1 2 3\n")
    }

    private func sendWithoutEnd(to id: ConnectionID) throws {
        let chunk = String(repeating: "x", count: 1 << 20)
        var sent = 0
        while loop.transport.outbound.contains(id) {
            sent += chunk.utf8.count
            guard sent <= TroubledReplica.longest else { throw Difference("a replica took \(sent) bytes of a line") }
            send(chunk, to: id)
        }
    }

    private func send(_ text: String, to id: ConnectionID) {
        guard loop.transport.outbound.contains(id) else { return }
        Array(text.utf8).withUnsafeBytes { loop.server.bytesReceived(id, $0) }
        loop.run()
    }

    /// The other side ends the connection.
    private func end(_ id: ConnectionID) {
        loop.transport.close(id)
        loop.server.connectionClosed(id)
        loop.run()
    }

    /// Lets time go by until it connects: at most the longest delay.
    private func awaitLink() throws {
        for _ in 0..<40 where loop.transport.outbound.isEmpty { try tick(1) }
    }

    private func tick(_ count: Int) throws {
        for _ in 0..<count {
            loop.tick()
            guard loop.transport.outbound.count <= TroubledReplica.mostLinks else {
                throw Difference("a replica keeps \(loop.transport.outbound.count) connections")
            }
        }
        if let end = loop.server.ending { throw Difference("a replica ends: \(end)") }
    }

    // MARK: The source

    /// A tenth of a second goes by at the replica, and bytes move between both.
    func move() throws {
        try tick(1)
        if let link, link.id != loop.transport.outbound.last { leave() }
        guard let made = loop.transport.outbound.last else { return }
        if link == nil {
            count += 1
            link = (made, "replica \(count)")
            process.loop.connect("replica \(count)")
        }
        guard let link else { return }
        // Each round has a question or an answer.
        for _ in 0..<8 {
            process.endAll()
            process.turns()
            let told = process.loop.transport.takeBytes(process.loop.id(link.name))
            told.withUnsafeBytes { loop.server.bytesReceived(link.id, $0) }
            loop.run()
            let asked = loop.transport.takeBytes(link.id)
            if !asked.isEmpty { process.loop.receive(asked, from: link.name) }
        }
        guard process.loop.isFinished(link.name) else { return }
        leave()
        end(made)
    }

    /// Hangs up at the source.
    func leave() {
        guard let link else { return }
        self.link = nil
        process.loop.close(link.name)
    }
}
