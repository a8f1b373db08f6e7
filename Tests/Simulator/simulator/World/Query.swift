import StoryCore
import TestSupport

/// A question, and what its answer has to be at some position.
enum Query {
    case get(Kind, String)
    /// The row as it was.
    case past(Kind, String, at: Moment)
    case list(Kind, [PlainFilter], PlainSort, Order, limit: Int)
    /// The page of a list after one that was full.
    case page(after: Page)
    case count(Kind, [PlainFilter])
    case read(EventScope, from: Int?, Order, limit: Int)
    /// The number of events between two positions.
    case countEvents(EventScope, from: Int?, to: Int?)
    case streams(category: String?)
    case types(category: String?)
    case ping
    case checkpoint
    case verify
    case stats
    case quit
    /// About the declared model.
    case model(ModelQuery)

    /// When: a position, or a time.
    enum Moment {
        case position(Int)
        case time(Instant)

        fileprivate var text: String {
            switch self {
            case .position(let position): "\(position)"
            case .time(let time): time.text
            }
        }
    }

    /// Where a full page of a list ended.
    struct Page {
        let kind: Kind
        let filters: [PlainFilter]
        let sort: PlainSort
        let order: Order
        let limit: Int
        /// What its `next` says.
        let next: String
        /// Its last row.
        let end: PlainList.Place
    }

    /// What stands on the wire behind the tag.
    var text: String {
        switch self {
        case .get(let kind, let id): "GET \(kind.name)/\(id)"
        case .past(let kind, let id, let moment): "GET \(kind.name)/\(id) at=\(moment.text)"
        case .list(let kind, let filters, let sort, let order, let limit):
            "LIST \(kind.name)\(Query.text(filters)) sort=\(sort.rawValue) order=\(Query.text(order)) limit=\(limit)"
        case .page(let page):
            Query.list(page.kind, page.filters, page.sort, page.order, limit: page.limit).text + " after=\(page.next)"
        case .count(let kind, let filters): "COUNT \(kind.name)\(Query.text(filters))"
        case .read(let scope, let from, let order, let limit):
            "READ \(scope.text)\(from.map { " from=\($0)" } ?? "") order=\(Query.text(order)) limit=\(limit)"
        case .countEvents(let scope, let from, let to):
            "COUNT \(scope.text)\(from.map { " from=\($0)" } ?? "")\(to.map { " to=\($0)" } ?? "")"
        case .streams(let category): "STREAMS" + (category.map { " \($0)-*" } ?? "")
        case .types(let category): "TYPES" + (category.map { " \($0)-*" } ?? "")
        case .ping: "PING"
        case .checkpoint: "CHECKPOINT"
        case .verify: "VERIFY"
        case .stats: "STATS"
        case .quit: "QUIT"
        case .model(let query): query.text
        }
    }

    /// True where it may say how far the store has to be.
    var takesMinimum: Bool {
        switch self {
        case .checkpoint, .verify, .stats, .quit, .model: false
        case .get, .past, .list, .page, .count, .read, .countEvents, .streams, .types, .ping: true
        }
    }

    /// What list it is of; nil where it is of none.
    var list: (kind: Kind, filters: [PlainFilter], sort: PlainSort, order: Order, limit: Int)? {
        switch self {
        case .list(let kind, let filters, let sort, let order, let limit): (kind, filters, sort, order, limit)
        case .page(let page): (page.kind, page.filters, page.sort, page.order, page.limit)
        case .get, .past, .count, .read, .countEvents, .streams, .types, .ping, .checkpoint, .verify, .stats, .quit,
            .model:
            nil
        }
    }

    static func text(_ filters: [PlainFilter]) -> String { filters.map { " \($0.name)=\($0.text)" }.joined() }

    private static func text(_ order: Order) -> String { order == .ascending ? "asc" : "desc" }
}

/// Which events are read or followed.
struct EventScope {
    var stream: String?
    var category: String?
    var type: String?
    /// The tags that an event has, all of them.
    var tags: [String] = []

    var text: String {
        let name = stream ?? category.map { "\($0)-*" }
        return "events" + (name.map { "/\($0)" } ?? "") + (type.map { " types=\($0)" } ?? "")
            + (tags.isEmpty ? "" : " tags=\(tags.joined(separator: ","))")
    }

    /// It as an item of a query.
    var item: String {
        let stream = (stream ?? category.map { "\($0)-*" }).map { #""stream":"\#($0)""# }
        let types = type.map { #""types":["\#($0)"]"# }
        let tags = tags.isEmpty ? nil : #""tags":[\#(tags.map { "\"\($0)\"" }.joined(separator: ","))]"#
        return "{\([stream, types, tags].compactMap { $0 }.joined(separator: ","))}"
    }

    func has(_ logged: World.Logged) -> Bool {
        if let stream, logged.stream != stream { return false }
        if let category, !logged.stream.hasPrefix("\(category)-") { return false }
        if let type, type != logged.event.body.type.description { return false }
        return tags.isEmpty || tags.allSatisfy(logged.tags.contains)
    }
}

extension PlainFilter {
    /// Its value on the wire.
    fileprivate var text: String {
        switch self {
        case .sender(let id), .recipient(let id), .owner(let id), .story(let id): id.description
        case .between(let one, let other): "\(one),\(other)"
        case .prefecture(let number): "\(number)"
        case .email(let bytes): String(decoding: bytes, as: UTF8.self)
        case .unseen(let isWanted): "\(isWanted)"
        case .since(let time), .until(let time): time.text
        }
    }
}

/// What somebody is told who asks for the past.
enum Past: Equatable {
    case row(String)
    case refused(String)
}

// What the answers are.
extension World {
    /// The rows of a list, all of them, or all behind a place.
    func list(
        _ kind: Kind, _ filters: [PlainFilter], _ sort: PlainSort, _ order: Order, after end: PlainList.Place? = nil,
        at position: Int
    ) -> [String] {
        PlainList.rows(moment(position).rows.rows(kind), filters, sort, order).filter { row in
            end.map { PlainList.place(place(of: row, kind, sort), isBehind: $0, order) } ?? true
        }.compactMap { text(kind, $0.id.description, at: position) }
    }

    /// Where a row stands in lists with this sort.
    func place(of row: Row, _ kind: Kind, _ sort: PlainSort) -> PlainList.Place {
        let stream = kind.stream(row.id).description
        let posted = events.firstIndex { $0.stream == stream } ?? 0
        return PlainList.Place(value: PlainList.value(of: row, sort), posted: posted)
    }

    /// The last position whose event was written at a time or before, of those through another one.
    func position(at time: Instant, through end: Int) -> Int {
        (events[..<end].lastIndex { $0.event.time <= time } ?? -1) + 1
    }

    /// What a row was at a moment, for who looks when the log ends at `head`.
    func past(_ kind: Kind, _ id: String, _ moment: Query.Moment, head: Int) -> Past {
        let stream = kind.stream(id.id).description
        guard self.moment(head).version(stream) > 0 else { return .refused("notFound") }
        let position: Int
        switch moment {
        case .position(let wanted):
            guard wanted <= head else { return .refused("invalid") }
            position = wanted
        case .time(let time): position = self.position(at: time, through: head)
        }
        if let text = text(kind, id, at: position) { return .row(text) }
        return .refused(self.moment(position).version(stream) == 0 ? "notFound" : "gone")
    }

    /// The events of a scope from a place on, which is a version where one stream is read.
    func read(_ scope: EventScope, from: Int?, _ order: Order, at position: Int) -> [Logged] {
        let found = events[..<position].enumerated().filter { index, logged in
            guard scope.has(logged) else { return false }
            let place = scope.stream == nil ? index + 1 : Int(logged.event.version.value)
            return from.map { order == .ascending ? place >= $0 : place <= $0 } ?? true
        }.map(\.element)
        return order == .ascending ? found : found.reversed()
    }

    func types(_ category: String?, at position: Int) -> [String] {
        var found: [String: (count: Int, first: Int, last: Int)] = [:]
        for (index, logged) in events[..<position].enumerated() where EventScope(category: category).has(logged) {
            let type = logged.event.body.type.description
            found[type] = ((found[type]?.count ?? 0) + 1, found[type]?.first ?? index + 1, index + 1)
        }
        return found.sorted { Bytes.precedes(Array($0.key.utf8), Array($1.key.utf8)) }.map { type, tally in
            #"{"type":"\#(type)","count":\#(tally.count),"first":\#(tally.first),"last":\#(tally.last)}"#
        }
    }

    func streams(_ category: String?, at position: Int) -> [String] {
        let found = moment(position).streams.filter { name, _ in category.map { name.hasPrefix("\($0)-") } ?? true }
        return found.sorted { Bytes.precedes(Array($0.key.utf8), Array($1.key.utf8)) }.map { name, place in
            #"{"stream":"\#(name)","version":\#(place.version),"position":\#(place.position)}"#
        }
    }
}

extension Query {
    /// What is asked when everything has come to its end.
    static var last: [Query] {
        let lists = Kind.allCases.flatMap { kind in
            kind.sorts.flatMap { sort in
                [Query.list(kind, [], sort, .ascending, limit: 1_000), .list(kind, [], sort, .descending, limit: 1)]
            } + [.count(kind, [])]
        }
        return lists + [
            .read(EventScope(), from: nil, .ascending, limit: 10_000), .streams(category: nil),
            .types(category: nil), .checkpoint, .verify, .model(.list(.ascending)), .model(.list(.descending)),
            .model(.count),
        ]
    }
}
