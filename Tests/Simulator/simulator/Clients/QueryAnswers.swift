import StoryCore
import TestSupport

// Answers to questions.
extension Answers {
    /// A question was answered.
    func answer(_ query: Query, _ sent: Sent, _ json: String) throws {
        switch query {
        case .get(let kind, let id): return try got(kind, id, sent, json)
        case .past(let kind, let id, let moment):
            return try expect(sent, json) { head in
                world.past(kind, id, moment, head: head.position) == .row(json)
            }
        case .model(let query): return try modelAnswered(query, sent, json)
        case .list, .page, .count, .read, .countEvents, .streams, .types, .ping, .checkpoint, .verify, .stats, .quit:
            break
        }
        guard let found = json.number("position").map({ Int($0) }), found >= sent.since else {
            throw Difference("\(sent.line) knows less than \(sent.since), which was acknowledged before: \(json)")
        }
        switch query {
        case .get, .past, .ping, .checkpoint, .model: break
        case .stats:
            let counts = Catalogue.standard.kinds.map { kind in
                "\"\(kind.name)\":\(world.list(kind.kind, [], .date, .ascending, at: found).count)"
            }
            let rows = "\"rows\":{\(counts.joined(separator: ","))"
            guard json.has(rows) else { throw Difference("STATS is \(rows) at \(found): \(json)") }
        case .quit:
            guard json.has(#""bye":true"#) else { throw Difference("QUIT answered \(json)") }
        case .verify:
            guard json.number("verified") == UInt64(found) else { throw Difference("VERIFY answered \(json)") }
        case .count(let kind, let filters):
            let count = world.list(kind, filters, .date, .ascending, at: found).count
            guard json.number("count") == UInt64(count) else { throw Difference("\(sent.line) is \(count): \(json)") }
        case .list(let kind, let filters, let sort, let order, let limit):
            try page(sent, world.list(kind, filters, sort, order, at: found), limit, json)
            pageEnded(query, sent, json, at: found)
        case .page(let after):
            let rows = world.list(after.kind, after.filters, after.sort, after.order, after: after.end, at: found)
            try page(sent, rows, after.limit, json)
            pageEnded(query, sent, json, at: found)
        case .read(let scope, let from, let order, let limit):
            let events = world.read(scope, from: from, order, at: found)
            try page(
                sent,
                zip(events, sent.rows).map { world.isLine($1, of: $0, at: found) ? $1 : $0.text }
                    + events.dropFirst(sent.rows.count).map(\.text), limit, json)
        case .countEvents(let scope, let from, let to):
            let last = min(to ?? found, found)
            let count = world.read(scope, from: from, .ascending, at: last).count
            guard json.number("count") == UInt64(count) else { throw Difference("\(sent.line) is \(count): \(json)") }
        case .streams(let category): try page(sent, world.streams(category, at: found), 50, json)
        case .types(let category): try page(sent, world.types(category, at: found), 1_000, json)
        }
    }

    /// A page that is full ended at its last row; one that is short may have ended behind it.
    private func pageEnded(_ query: Query, _ sent: Sent, _ json: String, at position: Int) {
        guard let list = query.list, let next = json.text("next"), sent.rows.count == list.limit,
            let id = sent.rows.last?.text("id"), let row = world.moment(position).row(list.kind, id)
        else { return }
        ended(
            Query.Page(
                kind: list.kind, filters: list.filters, sort: list.sort, order: list.order, limit: list.limit,
                next: next, end: world.place(of: row, list.kind, list.sort)))
    }

    private func got(_ kind: Kind, _ id: String, _ sent: Sent, _ json: String) throws {
        for position in min(sent.since, world.committed)...world.committed
        where world.text(kind, id, at: position) == json { return }
        let now = world.text(kind, id, at: world.committed) ?? "not there"
        throw Difference("\(sent.line) is \(now) at \(world.committed), and was answered \(json)")
    }

    /// The first rows of these, and whether there are more.
    private func page(_ sent: Sent, _ rows: [String], _ limit: Int, _ json: String) throws {
        let isMore = json.number("next") != nil || json.text("next") != nil
        guard sent.rows == Array(rows.prefix(sent.rows.count)), json.number("count") == UInt64(sent.rows.count),
            sent.rows.count <= limit, isMore == (sent.rows.count < rows.count)
        else {
            throw Difference(
                "\(sent.line) is\n  \(rows.joined(separator: "\n  "))\nand was answered\n  \(sent.rows.joined(separator: "\n  "))\n\(json)"
            )
        }
    }
}
