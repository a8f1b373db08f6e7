import StoryCore
import TestSupport

/// A question, and what its answer has to be at some position.
enum Query {
    case get(Kind, String)
    case list(Kind, [PlainFilter], PlainSort, Order, limit: Int)
    case count(Kind, [PlainFilter])
    case read(EventScope, from: Int?, Order, limit: Int)
    case streams(category: String?)
    case ping
    case checkpoint
    case verify

    /// What stands on the wire behind the tag.
    var text: String {
        switch self {
        case .get(let kind, let id): "GET \(kind.name)/\(id)"
        case .list(let kind, let filters, let sort, let order, let limit):
            "LIST \(kind.name)\(Query.text(filters)) sort=\(sort.rawValue) order=\(Query.text(order)) limit=\(limit)"
        case .count(let kind, let filters): "COUNT \(kind.name)\(Query.text(filters))"
        case .read(let scope, let from, let order, let limit):
            "READ \(scope.text)\(from.map { " from=\($0)" } ?? "") order=\(Query.text(order)) limit=\(limit)"
        case .streams(let category): "STREAMS" + (category.map { " \($0)-*" } ?? "")
        case .ping: "PING"
        case .checkpoint: "CHECKPOINT"
        case .verify: "VERIFY"
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

    var text: String {
        let name = stream ?? category.map { "\($0)-*" }
        return "events" + (name.map { "/\($0)" } ?? "") + (type.map { " types=\($0)" } ?? "")
    }

    func has(_ logged: World.Logged) -> Bool {
        if let stream, logged.stream != stream { return false }
        if let category, !logged.stream.hasPrefix("\(category)-") { return false }
        return type.map { $0 == logged.event.body.type.description } ?? true
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
        case .since, .until: preconditionFailure("no list is asked for by its dates")
        }
    }
}

// What the answers are.
extension World {
    /// The rows of a list, all of them.
    func list(
        _ kind: Kind, _ filters: [PlainFilter], _ sort: PlainSort, _ order: Order, at position: Int
    ) -> [String] {
        PlainList.rows(moment(position).rows.rows(kind), filters, sort, order).compactMap {
            text(kind, $0.id.description, at: position)
        }
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

    func streams(_ category: String?, at position: Int) -> [String] {
        let found = moment(position).streams.filter { name, _ in category.map { name.hasPrefix("\($0)-") } ?? true }
        return found.sorted { Bytes.precedes(Array($0.key.utf8), Array($1.key.utf8)) }.map { name, place in
            #"{"stream":"\#(name)","version":\#(place.version),"position":\#(place.position)}"#
        }
    }
}
