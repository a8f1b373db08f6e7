import TestSupport

/// One who sends requests over a connection, or over one after the other, and holds what comes back against the log.
final class Client {
    let name: String
    /// The number of the node that it has a connection to; 0 for the only one.
    var node = 0
    /// True while it has a connection.
    var isConnected = false
    /// True once its connection was greeted.
    private(set) var isGreeted = false
    /// True while it takes what it is sent.
    var isTaking = true
    /// What it has still to send of lines that it has begun.
    var unsent: [UInt8] = []
    /// What it sent and has no answer for, in its order.
    private(set) var waiting: [Sent] = []
    private(set) var followers: [Follower] = []
    /// Requests with a key that nobody answered: they may be sent again.
    private(set) var lost: [Sent] = []
    /// True once its `QUIT` was answered: nothing else comes then.
    private var hasQuit = false
    /// True once it said that it sends no more.
    var hasEnded = false
    /// How many of those that wait have arrived.
    private var arrived = 0

    init(_ name: String) { self.name = name }

    var isQuiet: Bool { waiting.isEmpty && unsent.isEmpty }

    /// True where the next answer is that to `STATS`.
    var isAskingForFigures: Bool { if case .query(.stats)? = waiting.first?.asked { true } else { false } }

    // MARK: Sending

    func add(_ sent: Sent) {
        waiting.append(sent)
        sent.times += 1
        unsent += Array(sent.line.utf8) + [0x0A]
        lost.removeAll { $0 === sent }
    }

    func follow(_ follower: Follower) { followers.append(follower) }

    /// Takes so many bytes to be sent now.
    func takeUnsent(_ count: Int) -> [UInt8] {
        let bytes = Array(unsent.prefix(count))
        unsent.removeFirst(bytes.count)
        for _ in 0..<bytes.count(where: { $0 == 0x0A }) {
            waiting[arrived].hasArrived = true
            arrived += 1
        }
        return bytes
    }

    /// Its connection is gone: what was not answered may or may not have been done.
    func disconnected() {
        for sent in waiting {
            if sent.write?.key != nil { lost.append(sent) }
            // What stood behind a QUIT is not carried out.
            if !hasQuit { sent.status = .lost }
        }
        (hasQuit, hasEnded) = (false, false)
        for follower in followers { follower.number = nil }
        followers.removeAll { $0.isOver }
        (waiting, arrived, unsent, isConnected, isGreeted, isTaking) = ([], 0, [], false, false, true)
    }

    // MARK: Hearing

    /// A line came.
    func take(_ line: String, _ world: World, _ answers: Answers) throws {
        guard let first = line.first, let brace = line.firstIndex(of: "{") else {
            throw Difference("a line that no client understands: \(line)")
        }
        let json = String(line[brace...])
        let tag = line[line.index(after: line.startIndex)..<brace].dropLast()
        guard !hasQuit else { throw Difference("a line after the answer to QUIT: \(line)") }
        switch first {
        case "*": isGreeted = true
        case ">":
            if json.hasPrefix(#"{"end":"#) { try checkEnd(json, answers) }
            try push(tag, json, world)
        case "=": try request(tag).rows.append(json)
        case "+":
            let sent = try request(tag)
            answered()
            try answers.done(sent, json)
            follow(sent, json)
            if case .query(.quit) = sent.asked { try quit(answers) }
        case "-" where !isGreeted:
            guard answers.mayBeSentAway(json.text("code") ?? "") else {
                throw Difference("nobody is let in: \(line)")
            }
        case "-":
            let sent = try request(tag)
            answered()
            try answers.refused(sent, json)
            // A process that ends refuses what stands behind it, too, and says that it ends.
            if case .query(.quit) = sent.asked, json.text("code") != "draining" { try quit(answers) }
        default: throw Difference("a line that begins with nothing known: \(line)")
        }
    }

    private func quit(_ answers: Answers) throws {
        hasQuit = true
        for sent in waiting { try answers.stoodBehindQuit(sent) }
    }

    /// A subscription is ended for a reason that there is.
    private func checkEnd(_ json: String, _ answers: Answers) throws {
        let isFor: Bool
        switch json.text("end") ?? "" {
        case "quit": isFor = waiting.contains { if case .query(.quit) = $0.asked { $0.hasArrived } else { false } }
        case "closed": isFor = hasEnded
        // A disk that fails may have kept a model from being built again.
        case "undefined": isFor = answers.world.hasUndefined || answers.excused.contains("internal")
        case "idle": isFor = answers.isRoomScarce || !unsent.isEmpty
        case let code: isFor = answers.excused.contains(code)
        }
        guard isFor else { throw Difference("a subscription is ended for nothing: \(json)") }
    }

    private func answered() {
        waiting.removeFirst()
        arrived -= 1
    }

    private func request(_ tag: Substring) throws -> Sent {
        guard let sent = waiting.first, arrived > 0, tag == "@r\(sent.number)" else {
            throw Difference("an answer to \(tag), and \(waiting.first?.line ?? "nothing") is next")
        }
        return sent
    }

    private func follow(_ sent: Sent, _ json: String) {
        switch sent.asked {
        case .subscribe(let follower):
            follower.began(Int(json.number("subscription") ?? 0), at: Int(json.number("position") ?? 0))
        case .unsubscribe(let follower): (follower.number, follower.isOver) = (nil, true)
        case .write, .query, .erase: break
        }
    }

    private func push(_ number: Substring, _ json: String, _ world: World) throws {
        guard let follower = followers.first(where: { $0.number != nil && $0.number == Int(number) }) else {
            throw Difference("a push of subscription \(number), which is not there: \(json)")
        }
        try follower.take(json, world)
    }
}
