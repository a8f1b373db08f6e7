import TestSupport

/// What a run does more often than others: each seed has its own.
struct Habits {
    /// What can happen next.
    enum Step: CaseIterable {
        case send, endTurn, run, background, commit, tick, takeOrNot, takeSome, disconnect, connect
        case fault, fill, crash, crashSoon, kill, killSoon, stop, clock, second, moveAway
    }

    /// What connections find.
    struct Room {
        static let usual = Room(connections: 1_024, idle: 30)

        let connections: Int
        /// After so many seconds those make way that do nothing.
        let idle: Int

        /// True where somebody may be sent away.
        var isScarce: Bool { idle < Room.usual.idle }
    }

    let steps: Int
    let clients: Int
    let journal: Int
    /// What a sync takes, in nanoseconds.
    let latency: UInt64
    /// The largest data of an event, in bytes.
    let largest: Int
    /// True where some lines are longer than what is read at a time.
    let hasLongLines: Bool
    /// True where processes die while they start, too.
    let diesAtStarts: Bool
    /// True where the journal has another size at some starts.
    let changesJournal: Bool
    let room: Room
    /// How many bytes of events a commit takes.
    let commit: Int
    /// How many bytes may wait for one who does not read, be kept for all clients, and wait for one where that is reached.
    let output: (one: Int, all: Int, least: Int)
    /// How many pages one commit of a checkpoint changes; nil: as many as the daemon's.
    let pages: Int?
    /// True where the outcome of a commit is unknown now and then.
    let losesOutcomes: Bool
    /// True where clients declare a model and ask of it.
    let hasModel: Bool
    /// True where somebody erases users' own events.
    var erases: Bool { steps % 2 == 0 }
    private let weights: [(step: Step, end: Int)]

    init(_ random: inout SplitMix64) {
        steps = Int.random(in: 20...120, using: &random)
        clients = Int.random(in: 1...4, using: &random)
        journal = random.pick(65_536, 65_536, 131_072)
        latency = random.pick(10_000, 10_000, 2_000_000, 5_000_000)
        largest = random.pick(20, 200, 3_000, 20_000)
        let isCalm = random.oneIn(6)
        changesJournal = random.oneIn(3)
        room = random.oneIn(4) ? Room(connections: random.pick(2, 3, 1_024), idle: random.pick(1, 3)) : .usual
        pages = random.pick(nil, nil, 1, 3)
        commit = random.pick(2 << 20, 2 << 20, 100, 10_000)
        output = random.oneIn(3) ? (10_000, 60_000, 500) : (4 << 20, 64 << 20, 16_384)
        losesOutcomes = random.oneIn(3)
        hasLongLines = random.oneIn(3)
        diesAtStarts = !isCalm && random.oneIn(3)
        hasModel = !random.oneIn(4)
        var end = 0
        var made: [(Step, Int)] = []
        for step in Step.allCases {
            end += Habits.weight(step, isCalm, &random)
            made.append((step, end))
        }
        weights = made
    }

    private static func weight(_ step: Step, _ isCalm: Bool, _ random: inout SplitMix64) -> Int {
        switch step {
        case .send: Int.random(in: 20...60, using: &random)
        case .endTurn, .run: Int.random(in: 4...20, using: &random)
        case .background, .commit: Int.random(in: 2...16, using: &random)
        case .connect: 8
        case .tick: random.pick(1, 4, 10)
        case .takeOrNot, .takeSome: random.pick(0, 2, 6)
        case .disconnect: random.pick(0, 1, 3)
        case .fault: isCalm ? 0 : random.pick(0, 0, 2, 5)
        case .fill: isCalm ? 0 : random.pick(0, 0, 2, 4)
        case .crash, .crashSoon, .kill, .killSoon: isCalm ? 0 : random.pick(0, 1, 2, 4)
        case .stop: random.pick(0, 1, 2)
        case .clock: random.pick(0, 1, 3)
        case .second: random.pick(0, 0, 1)
        case .moveAway: isCalm ? 0 : random.pick(0, 0, 0, 1)
        }
    }

    /// - Parameter isNode: whether the daemon is a node: then its ordering service fails instead of its disk.
    func next(_ random: inout SplitMix64, isNode: Bool) -> Step {
        let number = Int.random(in: 0..<(weights.last?.end ?? 1), using: &random)
        let step = weights.first { number < $0.end }?.step ?? .run
        switch step {
        case .fault, .fill, .second, .moveAway: return isNode ? .tick : step
        case .send, .endTurn, .run, .background, .commit, .tick, .takeOrNot, .takeSome, .disconnect, .connect, .crash,
            .crashSoon, .kill, .killSoon, .stop, .clock:
            return step
        }
    }
}

/// How much a run was.
struct Figures {
    var seeds = 0
    var steps = 0
    var requests = 0
    var events = 0
    var answers = 0
    var pushes = 0
    var starts = 0
    var crashes = 0
    var kills = 0
    var stops = 0
    var fatalErrors = 0
    var faults = 0
    var full = 0
    var rollBacks = 0
    /// Rows and lists that followers were sent again, since they fell off the feed of changes.
    var restarts = 0
    var checkpoints = 0
    var flushes = 0
    /// Refusals that leave open whether something was written.
    var unknown = 0
    /// How often a node began to lead.
    var terms = 0

    static func += (sum: inout Figures, one: Figures) {
        sum.seeds += one.seeds
        sum.steps += one.steps
        sum.requests += one.requests
        sum.events += one.events
        sum.answers += one.answers
        sum.pushes += one.pushes
        sum.starts += one.starts
        sum.crashes += one.crashes
        sum.kills += one.kills
        sum.stops += one.stops
        sum.fatalErrors += one.fatalErrors
        sum.faults += one.faults
        sum.full += one.full
        sum.rollBacks += one.rollBacks
        sum.restarts += one.restarts
        sum.checkpoints += one.checkpoints
        sum.flushes += one.flushes
        sum.unknown += one.unknown
        sum.terms += one.terms
    }

    var text: String {
        "\(seeds) seeds, \(steps) steps, \(requests) requests, \(answers) answers, \(events) events, \(pushes) pushes, "
            + "\(starts) starts, \(crashes) power failures, \(kills) kills, \(stops) stops, \(faults) faults, "
            + "\(fatalErrors) fatal errors, \(full) full disks, \(rollBacks) roll-backs, \(restarts) lists again, \(checkpoints) checkpoints, "
            + "\(flushes) flushes, \(unknown) unknown outcomes, \(terms) terms"
    }
}
