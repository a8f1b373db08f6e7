import StoryCore
import TestSupport

/// Holds answers against the log: an answer rests on one position, and is what the log makes there.
final class Answers {
    let world: World
    /// All requests by their numbers.
    private(set) var all: [Sent] = []
    /// Where the events of a request lie, as far as they are committed.
    private var written: [Int: [Int]] = [:]
    /// Up to here the log's events were held against the requests.
    private var checked = 0
    /// What may be refused now for reasons that are no request's own.
    var excused: Set<String> = []
    /// True where there is so little room that who comes is sent away, and who takes nothing makes way.
    var isRoomScarce = false
    /// True where pages of the models have changed: rows may be wrong until that is found, and no write may rest on them.
    var areRowsSuspect = false
    /// True where so little may be kept for clients that questions are refused.
    var isMemoryScarce = false
    /// True once every model that is defined must answer.
    var isModelReady = false
    /// Where full pages of lists ended, the newest last.
    private(set) var pages: [Query.Page] = []
    /// The last position that a client was told of.
    private(set) var promised = 0

    /// Returns a file of the daemon that has a text now, or had it when it was removed since a call of the disk; nil where
    /// none has.
    var isInFiles: (String, Int) -> String? = { _, _ in nil }
    /// The number of the disk's calls.
    var calls = { 0 }
    /// That number when the event of an erasure was there, by its position.
    var ordered: [Int: Int] = [:]

    /// True where a node may pass a write on once more by itself.
    private let passesOn: Bool

    init(_ world: World, passesOn: Bool = false) { (self.world, self.passesOn) = (world, passesOn) }

    func add(_ sent: Sent) { all.append(sent) }

    /// A page of a list was full.
    func ended(_ page: Query.Page) { pages = pages.suffix(7) + [page] }

    /// A line left the daemon.
    func heard(_ line: String) throws {
        guard let position = line.number("position") ?? line.number("caughtUp") else { return }
        guard Int(position) <= world.committed else {
            throw Difference("only \(world.committed) is durable, and this left: \(line)")
        }
        promised = max(promised, Int(position))
    }

    /// True where a client may be told so instead of being greeted.
    func mayBeSentAway(_ code: String) -> Bool { excused.contains(code) || code == "busy" && isRoomScarce }

    /// A request came behind a `QUIT` that was answered: it is not carried out, unless it was when it came before.
    func stoodBehindQuit(_ sent: Sent) throws {
        guard sent.times == 1 else { return sent.status = .lost }
        guard written[sent.number] == nil else { throw Difference("\(sent.line) stood behind QUIT, and is there") }
        sent.status = .refused("quit")
    }

    // MARK: Events

    /// Holds what was committed since the last time against the requests.
    func checkCommitted() throws {
        while checked < world.committed {
            let first = world.events[checked]
            guard first.stream != DeclaredWorld.stream else {
                try checkModelEvent(first)
                checked += 1
                continue
            }
            guard !first.stream.hasPrefix("\(World.erasures)-") else {
                try checkErasureEvent(first)
                checked += 1
                continue
            }
            guard !CursorWorld.concerns(first), !WideWriter.concerns(first) else {
                checked += 1
                continue
            }
            guard first.request > 0, first.request <= all.count, let write = all[first.request - 1].write else {
                throw Difference("nobody asked for \(first.text)")
            }
            let sent = all[first.request - 1]
            try checkWhole(sent, write, from: checked)
            checked += write.events.count
        }
    }

    /// The log begins anew with what a start found.
    func restarted() throws {
        areRowsSuspect = false
        written = written.filter { $0.value[0] <= world.committed }
        checked = min(checked, world.committed)
        try checkCommitted()
    }

    private func checkWhole(_ sent: Sent, _ write: Write, from start: Int) throws {
        let events = write.events
        guard sent.hasArrived, written[sent.number] == nil else {
            throw Difference("\(sent.line) was written twice, or never sent: \(world.events[start].text)")
        }
        if case .refused(let code) = sent.status {
            throw Difference("\(sent.line) was refused as \(code), and is there")
        }
        guard start + events.count <= world.committed else {
            throw Difference(
                "of \(sent.line) only the first \(world.committed - start) of \(events.count) events are there")
        }
        let outcome = world.outcome(of: write, sent.number, at: start)
        guard outcome == .written else { throw Difference("\(sent.line) was written, and should be \(outcome)") }
        var versions: [String: Int] = [:]
        for (index, event) in events.enumerated() {
            let logged = world.events[start + index]
            let version = (versions[event.stream] ?? world.moment(start).version(event.stream)) + 1
            versions[event.stream] = version
            let head =
                "{\"position\":\(start + index + 1),\"stream\":\"\(event.stream)\",\"version\":\(version),\"type\":\"\(event.type)\","
            guard logged.text.hasPrefix(head), logged.request == sent.number,
                logged.text.has(write.mark(of: index)),
                logged.event.key?.description == write.key
            else { throw Difference("\(sent.line) made \(logged.text)") }
        }
        written[sent.number] = Array(start + 1...start + events.count)
    }

    // MARK: Answers

    /// A request's `+` came.
    func done(_ sent: Sent, _ json: String) throws {
        sent.status = .done
        switch sent.asked {
        case .write(let write): try receipt(write, sent, json)
        case .query where areRowsSuspect: break
        case .query(let query): try answer(query, sent, json)
        case .erase(let asked): try erased(asked, sent, json)
        case .subscribe: break
        case .unsubscribe(let follower):
            try follower.resumes(at: Int(json.number("resume") ?? 0), world)
        }
    }

    private func receipt(_ write: Write, _ sent: Sent, _ json: String) throws {
        let position = Int(json.number("position") ?? 0)
        if json.has(#""changed":false"#) {
            return try expect(sent, json) { moment in
                guard world.outcome(of: write, sent.number, at: moment.position) == .unchanged else { return false }
                let place = moment.streams[write.events[0].stream]
                return place == Moment.Place(version: Int(json.number("version") ?? 0), position: position)
            }
        }
        guard let positions = written[sent.number], positions.last == position else {
            throw Difference("\(sent.line) has the receipt \(json) and is at \(written[sent.number] ?? [])")
        }
        guard sent.times > 1 || passesOn || !json.has(#""repeated":true"#) else {
            throw Difference("\(sent.line), which is at \(positions), has the receipt \(json)")
        }
        guard case .appendMany = write.content else { return }
        let streams = Set(write.events.map(\.stream))
        guard sent.rows.count == streams.count else { throw Difference("\(sent.line) has the receipts \(sent.rows)") }
    }

    /// A request's `-` came.
    func refused(_ sent: Sent, _ json: String) throws {
        let code = json.text("code") ?? ""
        sent.status = .refused(code)
        if json.text("outcome") == "unknown" { return sent.status = .lost }
        if let positions = written[sent.number] {
            // One that was sent again may be answered so, though it was done the first time: not yet, it says.
            guard excused.contains(code), json.text("outcome") != "none" || sent.times > 1 else {
                throw Difference("\(sent.line) is at \(positions), and refused: \(json)")
            }
            sent.status = .lost
            return
        }
        if excused.contains(code) {
            // An erasure goes on when nobody waits for it.
            if case .erase = sent.asked { sent.status = .lost }
            // The first time it may have been decided, and be committed later.
            if sent.times > 1 { sent.status = .lost }
            return
        }
        if areRowsSuspect, case .query = sent.asked { return }
        // Of an answer that nobody takes, what is not written yet is.
        if code == "busy", isRoomScarce || isMemoryScarce, sent.write == nil { return }
        switch sent.asked {
        case .write(let write):
            try expect(sent, json) { moment in
                world.outcome(of: write, sent.number, at: moment.position) == .refused(code)
                    && world.explains(json, of: write, at: moment.position)
            }
        case .erase(let asked): try eraseRefused(asked, sent, json)
        case .query(.get(let kind, let id)):
            try expect(sent, json) { moment in
                let version = moment.version(kind.stream(id.id).description)
                return moment.row(kind, id) == nil && code == (version == 0 ? "notFound" : "gone")
            }
        case .query(.past(let kind, let id, let moment)):
            try expect(sent, json) { head in
                world.past(kind, id, moment, head: head.position) == .refused(code)
            }
        case .query(.model(let query)): try modelRefused(query, sent, json)
        case .subscribe(let follower) where follower.isOfModel: try modelRefused(.list(.ascending), sent, json)
        // The model was undefined meanwhile, which ended the subscription.
        case .unsubscribe(let follower) where follower.isOfModel && code == "notFound" && world.hasUndefined: break
        case .query, .subscribe, .unsubscribe: throw Difference("\(sent.line) was refused: \(json)")
        }
    }

    /// Throws unless something holds at a position that the answer may rest on.
    func expect(_ sent: Sent, _ json: String, _ holds: (Moment) -> Bool) throws {
        for position in min(sent.since, world.committed)...world.committed where holds(world.moment(position)) {
            return
        }
        throw Difference("nothing from \(sent.since) to \(world.committed) makes this of \(sent.line): \(json)")
    }
}
