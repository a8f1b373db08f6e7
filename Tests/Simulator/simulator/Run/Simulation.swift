import LoopSupport
import StoryCore
import StoryLog
import StoryReactor
import StoryServer
import StoryStorage
import TestSupport

/// One seed: a daemon on a disk that fails, its clients, and what it should have done.
///
/// All of it runs on one thread. What goes on beside the loop waits until the seed lets it; what a process has done by
/// the time that it dies is on the disk as far as the disk says, and nothing that it does later has an effect.
final class Simulation: SimulationRun {
    let story: Story
    let habits: Habits
    let world = World()
    let answers: Answers
    let clock = DrivenClock()
    let disk: SimulatedDisk
    let bug: PlantedBug?
    /// The cluster whose node the daemon is; nil for a store of its own.
    let cluster: SimulatedCluster?
    let twisted: TwistedLines?
    let models = ModelsCheck()
    var random: SplitMix64
    /// What draws others that mean no good, so that the rest of a seed does not depend on them.
    var strangers: SplitMix64
    /// Connections that do nothing.
    var crowd: Crowd?
    /// The workers of a cursor; nil where there are none.
    let workers: Workers?
    /// One whose writes change much; nil where there is none.
    let wide: WideWriter?
    /// Pages of the models that change; nil where none do.
    let changed: ChangedPages?
    /// The step after which they come; nil where they do not.
    private let siegeStep: Int?
    var draw: Draw
    var clients: [Client]
    var figures = Figures()
    /// The daemon; nil while there is none.
    var process: SimulatedProcess?
    /// Whether what was not durable is lost when the process dies.
    var isPowerFailure = false
    /// The file of the store that somebody has moved away.
    var aside: MovedFile?
    /// True where a file was moved away under this process.
    var wasMoved = false
    /// True while the daemon was asked to stop.
    var isStopping = false
    /// True once nothing fails any more.
    var isSettling = false
    /// What the last look into a process that died has found.
    var lastLook: (any Error)?
    /// True where the loop has done all that it wants to do.
    var isQuiet = false
    /// How many bytes clients have sent since the account was looked at.
    var received = 0
    /// What happened last.
    private(set) var step = "the first start"

    init(seed: UInt64, _ bug: PlantedBug? = nil, isNode: Bool = false, isKept: Bool = false) {
        var random = SplitMix64(seed: seed)
        story = Story(isKept: isKept)
        habits = Habits(&random)
        draw = Draw(seed: random.next())
        draw.largest = habits.largest
        clients = (1...habits.clients).map { Client("client \($0)") }
        answers = Answers(world)
        disk = SimulatedDisk(story, bug, isNode: isNode)
        cluster = isNode ? SimulatedCluster(SplitMix64(seed: seed)) : nil
        self.random = random
        strangers = SplitMix64(seed: seed ^ 0x5157_4E67)
        siegeStep = strangers.oneIn(4) ? Int.random(in: 1...habits.steps, using: &strangers) : nil
        // Not at a node: it refuses them while it does not lead.
        workers = isNode ? nil : Workers.drawn(seed, habits)
        // Not where a fold takes one instruction a turn.
        let isWide = !isNode && habits.steps % 16 == 2 && habits.steps % 3 != 1
        wide = isWide ? WideWriter(SplitMix64(seed: seed ^ 0x7769_6465)) : nil
        changed = isNode || habits.steps % 8 != 3 ? nil : ChangedPages(SplitMix64(seed: seed ^ 0x6368_616E))
        self.bug = bug
        twisted = bug.map(TwistedLines.init)
        answers.isInFiles = { [disk] text, call in disk.fileWith(text, removedSince: call) }
        answers.calls = { [disk] in disk.calls }
    }

    /// Plays it to its end.
    ///
    /// - Throws: what was not as it should be.
    func run() throws {
        TemporaryFolder.remove("store")
        clock.setStep(nanoseconds: 20_000)
        disk.whenSynced = { [clock, habits] in clock.pass(nanoseconds: habits.latency) }
        disk.begin()
        defer {
            disk.end()
            process?.vanish()
            process = nil
        }
        try start()
        for number in 1...habits.steps {
            let next = habits.next(&random, isNode: cluster != nil)
            step = "step \(number), \(next)"
            story.add(step)
            isQuiet = false
            try take(next)
            if let process { work(process) }
            try observe()
            try checkFutures()
            changePages()
            guard number == siegeStep else { continue }
            step = "the siege after step \(number)"
            story.add(step)
            try siege()
        }
        step = "the end"
        try settle()
        figures.steps = habits.steps
        figures.requests = answers.all.count
        figures.events = world.committed
        figures.seeds = 1
    }

    // MARK: Steps

    private func take(_ step: Habits.Step) throws {
        guard let process else { return }
        switch step {
        case .send: send(process)
        case .endTurn: process.turns(1)
        case .run:
            isQuiet = process.turns()
            try checkAccount(process, isExact: false)
        case .background: if process.held.count > 0 { process.held.run(below(process.held.count)) }
        case .commit:
            guard habits.losesOutcomes, random.oneIn(3) else { return process.endCommit() }
            process.endCommitInDoubt(isDone: random.oneIn(2))
        case .tick:
            for _ in 0...below(random.pick(1, 3, habits.room.isScarce || aside != nil ? 40 : 12)) {
                process.tick()
                try ticked(process)
            }
        case .takeOrNot:
            guard let client = connected() else { return }
            setTaking(client, !client.isTaking, process)
        case .takeSome:
            guard let client = connected() else { return }
            process.loop.take(1 + below(random.pick(10, 1_000, 20_000)), by: client.name)
        case .disconnect: if let client = connected() { disconnect(client, process) }
        case .connect: connect(process)
        case .fault: disk.faults.append(Fault(&random))
        case .fill: fill()
        case .crash, .kill:
            isPowerFailure = step == .crash
            disk.die()
        case .crashSoon, .killSoon:
            isPowerFailure = step == .crashSoon
            disk.die(in: 1 + below(random.pick(2, 8, 40)), random.pick(.before, .within, .after))
        case .stop: try stop()
        case .clock: clock.jump(milliseconds: Int64(random.pick(-3_600_000, -5, 1_000, 86_400_000)))
        case .second: try startSecond(process)
        case .moveAway: try moveAway()
        }
    }

    func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }

    private func connected() -> Client? { clients.filter(\.isConnected).randomElement(using: &random) }

    private func fill() {
        disk.fullness = disk.fullness == .none ? random.pick(.growth, .growth, .writes) : .none
        if disk.fullness != .none { figures.full += 1 }
    }

    func setTaking(_ client: Client, _ isTaking: Bool, _ process: SimulatedProcess) {
        client.isTaking = isTaking
        process.loop.setTaking(client.name, isTaking)
    }

    private func disconnect(_ client: Client, _ process: SimulatedProcess) {
        if random.oneIn(3) {
            client.hasEnded = true
            process.loop.server.peerClosed(process.loop.id(client.name))
        } else {
            process.loop.close(client.name)
            client.disconnected()
        }
    }

    // MARK: Requests

    private func connect(_ process: SimulatedProcess) {
        guard let client = clients.filter({ !$0.isConnected }).randomElement(using: &random) else { return }
        connect(client, process)
    }

    func connect(_ client: Client, _ process: SimulatedProcess) {
        process.loop.connect(client.name)
        client.isConnected = true
        for follower in client.followers where follower.number == nil {
            add(.subscribe(follower), follower.request, to: client)
        }
    }

    @discardableResult
    func add(_ asked: Sent.Asked, _ line: String, to client: Client) -> Sent {
        let line = twisted?.asked(line) ?? line
        let sent = Sent(answers.all.count + 1, asked, line, since: world.committed)
        answers.add(sent)
        client.add(sent)
        return sent
    }

    private func send(_ process: SimulatedProcess) {
        guard let client = connected() else { return connect(process) }
        if client.unsent.isEmpty || random.oneIn(4) {
            for _ in 0...below(random.pick(1, 2, 12)) { ask(client) }
        }
        deliver(client, process, random.oneIn(5) ? below(client.unsent.count) : client.unsent.count)
    }

    /// What it sends reaches the daemon, unless that leaves it in the socket.
    func deliver(_ client: Client, _ process: SimulatedProcess, _ count: Int) {
        guard count > 0, !process.loop.isPaused(client.name) else { return }
        let bytes = client.takeUnsent(min(count, process.loop.transport.mostRead ?? Reactor.readBufferSize))
        story.add("\(client.name) > \(String(decoding: bytes, as: UTF8.self))")
        received += bytes.count
        process.loop.receive(bytes, from: client.name)
    }

    /// The same request in a line that is longer than what is read at a time.
    private func long(_ line: String) -> String {
        guard line.hasPrefix("APPEND"), let brace = line.firstIndex(of: "{") else { return line }
        let padding = String(repeating: " ", count: 60_000 + below(150_000))
        return String(line[...brace]) + padding + String(line[line.index(after: brace)...])
    }

    /// The model is defined by the first request about it, and another time now and then.
    private func askOfModel(_ client: Client) {
        let isFirst = !answers.all.contains { if case .query(.model) = $0.asked { true } else { false } }
        let query: ModelQuery =
            switch isFirst ? 0 : below(24) {
            case 0, 1: .define(below(DeclaredWorld.baseCount) + world.events.count % 2 * DeclaredWorld.baseCount)
            case 2: .undefine
            case 3...9: .get(random.pick("a", "b", "c", "d-e", "0", "1", "all"))
            case 10...14: .count
            default: .list(random.pick(.ascending, .descending))
            }
        add(.query(.model(query)), query.text, to: client)
    }

    private func ask(_ client: Client) {
        let newest = world.events.suffix(20).map(\.event)
        draw.times = newest.map(\.time)
        draw.subjects = newest.compactMap { event in
            let category = "\(event.stream.category)"
            guard let kind = Kind.allCases.first(where: { $0.schema.category == category }) else { return nil }
            return (kind, "\(event.stream.id)", event.time)
        }
        let number = answers.all.count + 1
        if habits.erases, number % 24 == 23, answers.promised > 0 {
            let asked = draw.erasure(number / 24, through: answers.promised)
            add(.erase(asked), asked.text(number), to: client)
            return
        }
        if habits.hasModel, random.oneIn(8) { return askOfModel(client) }
        switch below(20) {
        case 0...11:
            let (write, line) = draw.guarded(draw.write(number), number, after: answers.promised)
            add(.write(write), habits.hasLongLines && random.oneIn(8) ? long(line) : line, to: client)
        case 12...16:
            let query = draw.query(world.committed, after: answers.pages)
            add(.query(query), query.text, to: client)
        case 17:
            let drawn = draw.follower()
            // A follower would be told of rows that nobody compares again.
            guard changed == nil else { return }
            // What else is drawn does not depend on it.
            let isOfModel = habits.hasModel && answers.all.count % 2 == 0
            let follower = Follower(isOfModel ? .declared : drawn, from: 1 + below(world.committed + 1))
            client.follow(follower)
            add(.subscribe(follower), follower.request, to: client)
        case 18:
            guard let follower = client.followers.first(where: { $0.number != nil && !$0.isOver }) else { return }
            follower.isOver = true
            add(.unsubscribe(follower), "UNSUBSCRIBE \(follower.number ?? 0)", to: client)
        default:
            guard let lost = client.lost.randomElement(using: &random) else { return }
            lost.status = .waiting
            client.add(lost)
        }
    }
}
