import Glibc
import StoryCore
import TestSupport

/// Somebody who follows events, a row or a list, over as many connections as it takes.
final class Follower {
    enum Scope {
        case events(EventScope)
        case row(Kind, String)
        case list(Kind, [PlainFilter])
        /// The rows of the declared model.
        case declared
    }

    let scope: Scope
    /// Its number on the connection that it has; nil while it has none.
    var number: Int?
    /// True once it is not to be taken up again.
    var isOver = false
    /// The position from which on it has not seen the events.
    private(set) var next: Int
    /// What it was told of each row.
    private var told: [String: String] = [:]
    private var lastTold = 0
    /// The position whose definition made the rows of the declared model that it was told of.
    private var definedAt = 0
    /// How many pushes it had.
    private(set) var pushes = 0

    init(_ scope: Scope, from next: Int) {
        self.scope = scope
        self.next = next
    }

    /// Whether it follows the declared model, which may be undefined.
    var isOfModel: Bool { if case .declared = scope { true } else { false } }

    /// What asks for it.
    var request: String {
        switch scope {
        case .events(let events): "SUBSCRIBE \(events.text) from=\(next)"
        case .row(let kind, let id): "SUBSCRIBE \(kind.name)/\(id)"
        case .list(let kind, let filters): "SUBSCRIBE \(kind.name)\(Query.text(filters))"
        case .declared: "SUBSCRIBE \(DeclaredWorld.name)"
        }
    }

    /// It is followed anew, from what is durable at a position.
    func began(_ number: Int, at position: Int) {
        self.number = number
        definedAt = position
        (told, lastTold) = ([:], 0)
    }

    /// A line of its subscription came.
    func take(_ json: String, _ world: World) throws {
        pushes += 1
        if let position = json.leading("caughtUp") { return try passed(through: position, world) }
        if json.leading("behind") != nil { return }
        if let position = json.leading("again") { return try listsAgain(at: position, world) }
        if json.hasPrefix(#"{"end":"#) {
            number = nil
            return try resumes(at: Int(json.number("resume") ?? 0), world)
        }
        guard let position = json.leading("position"), position <= world.committed else {
            throw Difference("what is pushed is not committed: \(json)")
        }
        switch scope {
        case .events(let events): try takeEvent(json, position, events, world)
        case .row(let kind, let id): try takeRow(json, position, kind, id, world)
        case .list(let kind, let filters):
            try takeListed(json, position, world.list(kind, filters, .date, .ascending, at: position))
        case .declared:
            guard let text = world.life(at: definedAt).active?.text else {
                throw Difference("\(json) was pushed, and there was no model at \(definedAt)")
            }
            // A model that was built again shows later erasures in rows of earlier positions.
            let ends = [position] + Set(world.erasers.values).filter { $0 > position }.sorted()
            let lists = try ends.map { try world.declaredRows(text, at: position, erasedBy: $0) }
            let id = json.text("removed")
            let fitting = lists.first { list in
                json.member("row").map(list.contains) ?? !list.contains { $0.text("id") == id }
            }
            try takeListed(json, position, fitting ?? lists[0])
        }
    }

    /// The rows that it knows are void.
    private func listsAgain(at position: Int, _ world: World) throws {
        if case .events = scope { throw Difference("a follower of events was told that it begins again") }
        guard position <= world.committed else { throw Difference("again as of \(position), which is not committed") }
        (told, definedAt) = ([:], position)
    }

    /// Events before this position were all sent.
    func resumes(at position: Int, _ world: World) throws {
        guard case .events = scope else { return }
        guard position >= next, position <= world.committed + 1 else {
            throw Difference("it was sent everything before \(next), and shall go on at \(position)")
        }
        try passed(through: position - 1, world)
    }

    /// Nothing is left to be told.
    func checkEnd(_ world: World) throws {
        guard number != nil else { return }
        let end = world.committed
        switch scope {
        case .events(let events):
            if let missed = world.events[..<end].dropFirst(next - 1).first(where: events.has) {
                throw Difference("\(request) was never sent \(missed.text)")
            }
        case .row(let kind, let id):
            let now = world.text(kind, id, at: end) ?? "null"
            if told[id] != now { throw Difference("\(request) was told \(told[id] ?? "nothing"), and it is \(now)") }
        case .list(let kind, let filters):
            let now = world.list(kind, filters, .date, .ascending, at: end).sorted()
            if told.values.sorted() != now {
                throw Difference("\(request) was told \(told.values.sorted()), and it is \(now)")
            }
        case .declared:
            guard let text = world.life(at: end).active?.text else {
                throw Difference("\(request) goes on, and there is no model")
            }
            let now = try world.declaredRows(text, at: end).sorted()
            if told.values.sorted() != now {
                throw Difference("\(request) was told \(told.values.sorted()), and it is \(now)")
            }
        }
    }

    private func passed(through position: Int, _ world: World) throws {
        guard position <= world.committed else {
            throw Difference("caught up with \(position), which is not committed")
        }
        guard case .events(let events) = scope, position >= next else { return }
        if let missed = world.events[(next - 1)..<position].first(where: events.has) {
            throw Difference("\(request) is past \(position) and was not sent \(missed.text)")
        }
        next = position + 1
    }

    private func takeEvent(_ json: String, _ position: Int, _ events: EventScope, _ world: World) throws {
        guard position >= next else { throw Difference("\(position) was pushed again, or late: \(next) is next") }
        try passed(through: position - 1, world)
        let logged = world.events[position - 1]
        guard world.isLine(json, of: logged, at: 0), events.has(logged) else {
            throw Difference("pushed \(json) for \(logged.text)")
        }
        next = position + 1
    }

    private func takeRow(_ json: String, _ position: Int, _ kind: Kind, _ id: String, _ world: World) throws {
        let row = json.member("row") ?? ""
        let real = world.text(kind, id, at: position) ?? "null"
        guard row == real else {
            throw Difference("at \(position) \(kind.name)/\(id) is \(real), and \(row) was pushed")
        }
        guard position >= lastTold else { throw Difference("\(position) was pushed after \(lastTold)") }
        (told[id], lastTold) = (row, position)
    }

    /// - Parameter list: the rows at the position.
    private func takeListed(_ json: String, _ position: Int, _ list: [String]) throws {
        guard let row = json.member("row") else {
            let id = json.text("removed") ?? ""
            guard !list.contains(where: { $0.text("id") == id }) else {
                throw Difference("\(id) was pushed as removed at \(position), and is in \(request)")
            }
            guard told.removeValue(forKey: id) != nil else {
                throw Difference("\(id) was pushed as removed, and \(request) never had it")
            }
            return
        }
        guard list.contains(row) else {
            throw Difference("\(row) was pushed at \(position), and \(request) is \(list)")
        }
        let id = row.text("id") ?? ""
        guard told[id] != row else { throw Difference("\(row) was pushed to \(request) twice") }
        told[id] = row
    }
}

extension String {
    /// The number that the first member has, if that is its name.
    func leading(_ name: String) -> Int? {
        hasPrefix("{\"\(name)\":") ? number(name).map { Int($0) } : nil
    }

    /// The JSON of a member that is the last one.
    func member(_ name: String) -> String? {
        let wanted = ",\"\(name)\":"
        return place(of: wanted).map {
            String(decoding: utf8.dropFirst($0 + wanted.utf8.count).dropLast(), as: UTF8.self)
        }
    }

    /// True where these bytes are in it; looking for characters takes long.
    func has(_ part: String) -> Bool { part.isEmpty || place(of: part) != nil }

    private func place(of part: String) -> Int? {
        var (whole, part) = (self, part)
        return whole.withUTF8 { whole in
            part.withUTF8 { part in
                guard let base = whole.baseAddress, let wanted = part.baseAddress, whole.count >= part.count else {
                    return nil
                }
                return (0...whole.count - part.count).first { memcmp(base + $0, wanted, part.count) == 0 }
            }
        }
    }
}
