import StoryCore
import TestSupport

/// A connection that holds a share of the cursor, and does one event after the other, or fails at it.
final class SimulatedWorker {
    /// A request that waits for its answer.
    enum Asked {
        case define, work, ack, fail, retry, ping, leave
        case write(number: Int, event: Int)
    }

    /// An event that was delivered and is not done.
    struct Job {
        let event: Int
        let isParked: Bool
    }

    let name: String
    private let cursor: CursorWorld
    /// True where the node that it is at may not take writes, or no more.
    private let isOfNodes: Bool
    private(set) var isConnected = false
    /// The history of the greeting; nil before it.
    private var log: String?
    private var isGreeted: Bool { log != nil }
    private var hasDefined = false
    /// The request that was sent last and has no answer.
    private var asked: Asked?
    private var subscription: Int?
    /// The index of the share that it has; nil while it waits for one.
    private var share: Int?
    private var jobs: [Job] = []
    /// The last event that was delivered, or was done before.
    private var last = 0
    private var announced: (event: Int, isParked: Bool)?
    /// True where it does not know whether the event that it failed at comes again.
    private var isUnsure = false

    init(_ name: String, _ cursor: CursorWorld, isOfNodes: Bool) {
        (self.name, self.cursor, self.isOfNodes) = (name, cursor, isOfNodes)
    }

    func connected() {
        disconnected()
        isConnected = true
    }

    func disconnected() {
        (isConnected, log, hasDefined, asked) = (false, nil, false, nil)
        ended()
    }

    private func ended() {
        (subscription, share, jobs, announced, isUnsure) = (nil, nil, [], nil, false)
    }

    // MARK: Sending

    /// Returns the next line that it sends; nil for none.
    ///
    /// - Parameters:
    ///   - number: a number that no write has had.
    ///   - isCalm: true where it does all that it gets, and leaves no share.
    func request(_ number: Int, _ random: inout SplitMix64, isCalm: Bool) -> String? {
        guard let log, asked == nil else { return nil }
        guard hasDefined else { return ask(.define, cursor.definition) }
        guard subscription != nil else {
            let number = Int.random(in: 1...cursor.shareCount, using: &random)
            let wanted = isCalm || random.oneIn(3) ? " share=\(number)" : ""
            let waits = isCalm || random.oneIn(2) ? " wait=true" : ""
            // Histories have a name of each process here.
            return ask(.work, "WORK \(CursorWorld.name)\(wanted)\(waits) log=\(log)")
        }
        guard let job = jobs.first else {
            let retry = "RETRY \(CursorWorld.name)"
            if isCalm {
                if !cursor.parked.isEmpty, random.oneIn(8) { return ask(.retry, retry) }
                // Nobody may have the share that has the next one.
                return share != nil && random.oneIn(4) ? ask(.leave, "UNSUBSCRIBE \(subscription ?? 0)") : nil
            }
            switch Int.random(in: 0..<24, using: &random) {
            case 0: return ask(.retry, retry)
            case 1: return ask(.leave, "UNSUBSCRIBE \(subscription ?? 0)")
            default: return nil
            }
        }
        let mark = "\(CursorWorld.name)@\(job.event)"
        switch isCalm ? 0 : Int.random(in: 0..<20, using: &random) {
        case 0...11: return ask(.write(number: number, event: job.event), CursorWorld.output(of: job.event, number))
        case 12, 13: return ask(.ack, "ACK \(mark)")
        case 14: return ask(.fail, "FAIL \(mark) park=true error=why")
        case 15, 16: return ask(.fail, "FAIL \(mark) delay=\(random.pick(0, 300))")
        case 17: return ask(.ping, "PING")
        case 18: return ask(.leave, "UNSUBSCRIBE \(subscription ?? 0)")
        default: return nil
        }
    }

    private func ask(_ asked: Asked, _ line: String) -> String {
        self.asked = asked
        return line
    }

    // MARK: Hearing

    /// A line came.
    ///
    /// - Parameter isStale: true where another node may have moved the cursor.
    /// - Throws: where it is not what the log makes of the cursor.
    func take(_ line: String, _ world: World, _ answers: Answers, isStale: Bool) throws {
        guard let brace = line.firstIndex(of: "{") else { throw Difference("a worker does not understand \(line)") }
        let json = String(line[brace...])
        switch line.first {
        case "*": log = log ?? json.text("log")
        case ">":
            let number = Int(line[line.index(after: line.startIndex)..<brace].dropLast())
            guard number == subscription else { throw Difference("\(name) has no such subscription: \(line)") }
            try push(json, world, isStale: isStale)
        case "+": try done(json, world, isStale: isStale)
        case "-" where !isGreeted:
            guard answers.mayBeSentAway(json.text("code") ?? "") else {
                throw Difference("no worker is let in: \(line)")
            }
        case "-": try refused(json, answers)
        case _: break
        }
    }

    private func push(_ json: String, _ world: World, isStale: Bool) throws {
        if json.hasPrefix(#"{"end":"#) { return ended() }
        if json.hasPrefix(#"{"share":"#) { return try begin(json, isStale: isStale) }
        if json.hasPrefix(#"{"caughtUp":"#) || json.hasPrefix(#"{"behind":"#) { return }
        if json.hasPrefix(#"{"again":"#) {
            let event = Int(json.number("again") ?? 0)
            if isUnsure, event <= last { (last, jobs) = (event - 1, []) }
            announced = (event, json.has(#""parked":true"#))
            return
        }
        guard let share else { throw Difference("\(name) has no share, and gets \(json)") }
        let event = Int(json.number("position") ?? 0)
        guard 1...world.committed ~= event, world.isLine(json, of: world.events[event - 1], at: 0) else {
            throw Difference("\(name) gets \(json), which is not in the log")
        }
        guard announced?.isParked != true else {
            guard announced?.event == event, isStale || cursor.parked[event] != nil else {
                throw Difference("\(name) gets \(json) as one that was parked")
            }
            (jobs, announced) = ([Job(event: event, isParked: true)], nil)
            return
        }
        guard cursor.next(share, after: last) == event, announced.map({ $0.event == event }) ?? true else {
            let next = cursor.next(share, after: last) ?? 0
            throw Difference("\(name) is to get \(next) after \(last), and gets \(json)")
        }
        // The one that was sent last may be done, and its receipt waits for the commit.
        guard jobs.count <= cursor.window else {
            throw Difference("the window of \(name) is full, and it gets \(json)")
        }
        jobs.append(Job(event: event, isParked: false))
        (last, announced) = (event, nil)
    }

    /// It has a share from now on: nobody moves that any more, so its place is the one of the log.
    private func begin(_ json: String, isStale: Bool) throws {
        let (share, at) = (Int(json.number("share") ?? 0) - 1, Int(json.number("at") ?? 0))
        guard cursor.at.indices.contains(share), at == cursor.at[share] || isStale && at < cursor.at[share] else {
            throw Difference("\(name) is told \(json), and the shares are at \(cursor.at)")
        }
        (self.share, last, jobs) = (share, at, [])
    }

    private func done(_ json: String, _ world: World, isStale: Bool) throws {
        guard let asked else { throw Difference("\(name) has asked for nothing: \(json)") }
        self.asked = nil
        switch asked {
        case .define: hasDefined = true
        case .work:
            subscription = Int(json.number("subscription") ?? 0)
            if json.has(#""at":"#) { try begin(json, isStale: isStale) }
        case .write(let number, let event):
            let position = Int(json.number("position") ?? 0)
            guard 1...world.committed ~= position, world.events[position - 1].text.has("\"n\":\(number)}") else {
                throw Difference("the output \(number) of \(event) is not where \(json) says")
            }
            jobs.removeAll { $0.event == event }
        case .ack: if !jobs.isEmpty { jobs.removeFirst() }
        case .fail:
            guard let failed = jobs.first else { return }
            jobs = []
            if !failed.isParked { last = json.has(#""parked":true"#) ? failed.event : failed.event - 1 }
        case .leave: ended()
        case .retry, .ping: break
        }
    }

    private func refused(_ json: String, _ answers: Answers) throws {
        guard let asked else { throw Difference("\(name) has asked for nothing: \(json)") }
        self.asked = nil
        let code = json.text("code") ?? ""
        switch (asked, code) {
        case (.write(let number, _), "lost"): cursor.wasRefused(number)
        case (.write(let number, let event), "conflict"):
            cursor.wasRefused(number)
            // It was done by a write whose outcome the worker was not told.
            if isOfNodes { jobs.removeAll { $0.event == event } }
        case (_, "notLeader") where isOfNodes: return
        case (.fail, _) where isOfNodes && json.text("outcome") == "unknown": isUnsure = true
        case (.work, "held"), (.ack, "lost"), (.fail, "lost"), (.retry, "notFound"), (.leave, "notFound"): return
        case _ where answers.excused.contains(code) || code == "busy": return
        case _: throw Difference("\(name) is refused: \(json)")
        }
        guard code == "lost" || !answers.excused.isEmpty else { throw Difference("\(name) is refused: \(json)") }
    }
}
