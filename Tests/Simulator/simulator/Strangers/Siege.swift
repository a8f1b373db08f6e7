import LoopSupport
import StoryReactor
import StoryServer
import StoryWire
import TestSupport

// Others that mean no good: at the port, at the store itself, and in the place of a source.
extension Simulation {
    /// Has silent peers come, and then a good client and a replica.
    ///
    /// - Throws: where one of those does not come in within its time.
    func siege() throws {
        try SimulatedPort(SplitMix64(seed: strangers.next()), bug).besiege(story)
        guard let process, isServing(process) else { return }
        let crowd = Crowd(of: process.loop)
        self.crowd = crowd
        answers.isRoomScarce = true
        let isRoomFilled = habits.room.connections > 3 && habits.output.all > 1 << 20 && strangers.oneIn(2)
        received += crowd.come(isRoomFilled ? habits.room.connections : 1 + below(4), &strangers)
        process.turns()
        try observe()
        guard isServing(process), habits.room.connections > 3 else { return }
        try comeIn(process, beside: crowd)
        // With little memory a source refuses to send for now.
        guard isServing(process), habits.output.all > 1 << 20 else { return }
        try follow(process)
    }

    func isServing(_ process: SimulatedProcess) -> Bool {
        self.process === process && !disk.isDead && !process.isStopped && process.stopReason == nil && !isStopping
            && cluster == nil
    }

    /// A good client is let in once silent ones make way, and served at once.
    private func comeIn(_ process: SimulatedProcess, beside crowd: Crowd) throws {
        let name = "good client"
        // A second is what the search for idle connections may be late by.
        let most = 10 * (habits.room.idle + 2)
        var ticks = 0
        while try !isGreeted(name, process) {
            ticks += 1
            guard ticks <= most else { throw Difference("a client is not let in within \(most) ticks") }
            try pass(process)
            guard isServing(process) else { return }
        }
        process.loop.receive("PING\n", from: name)
        for _ in 0..<10 {
            process.turns()
            if process.loop.hear(name).contains(where: { $0.hasPrefix("+") }) {
                process.loop.close(name)
                return story.add("a client is let in after \(ticks) ticks")
            }
            try pass(process)
            guard isServing(process) else { return }
        }
        throw Difference("a client that was let in has no answer within a second")
    }

    /// Connects a client, which hangs up where it is refused.
    private func isGreeted(_ name: String, _ process: SimulatedProcess) throws -> Bool {
        process.loop.connect(name)
        process.turns()
        guard isServing(process) else { return false }
        guard let line = process.loop.hear(name).first else { throw Difference("a client hears nothing") }
        if line.hasPrefix("* {\"server\"") { return true }
        guard line.text("code") == "busy" else { throw Difference("a client is not let in: \(line)") }
        process.loop.close(name)
        return false
    }

    /// A tenth of a second goes by.
    func pass(_ process: SimulatedProcess) throws {
        process.endAll()
        process.tick()
        try ticked(process)
        try observe()
    }

    /// A replica, whose source is another one for a while, gets each event in the end.
    private func follow(_ process: SimulatedProcess) throws {
        let replica = try TroubledReplica(of: process, bug)
        for _ in 0..<1 + below(3) {
            try replica.meetImpostor(&strangers, position: world.committed)
        }
        // The longest delay before a connection, and a second.
        for _ in 0..<40 {
            try replica.move()
            try pass(process)
            guard isServing(process) else { return }
            if replica.head == world.committed { break }
        }
        // A disk that fails may leave the source nothing to read.
        guard disk.struck.isEmpty, !wasMoved else { return replica.leave() }
        guard replica.head == world.committed else {
            throw Difference("a replica has \(replica.head) of \(world.committed) events after four seconds")
        }
        try world.check(replica.log, from: 1, through: world.committed)
        replica.leave()
        story.add("a replica has \(replica.head) events")
    }
}
