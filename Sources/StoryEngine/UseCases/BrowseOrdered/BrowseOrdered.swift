import StoryCore
import StoryModels

/// `LIST`: a page of rows, filtered and sorted, found along indexes.
enum BrowseOrdered {
    /// - Throws: `invalid` where `after=` is no `next` of this list.
    static func page(_ query: ListQuery, in source: QuerySource) throws(Failure) -> any AnswerCursor {
        var place: [UInt8]?
        if let after = query.after {
            place = ListCursor(after, for: query)?.place
            guard place != nil else {
                let message = "is no next of this list: send the same filters, sort and order that it came with"
                throw .invalid("after", .malformed, message)
            }
        }
        return switch query.kind {
        case .users: OrderedRows<UserProjection>(query, after: place, in: source)
        case .stories: OrderedRows<StoryProjection>(query, after: place, in: source)
        case .messages: OrderedRows<MessageProjection>(query, after: place, in: source)
        case .photos: OrderedRows<PhotoProjection>(query, after: place, in: source)
        }
    }
}

/// A page that waits for its share of a turn. It is of one moment, so one step makes it, and ends it early with a
/// `next` where too many rows were looked at.
private final class OrderedRows<P: Projection>: AnswerCursor {
    private let query: ListQuery
    private let after: [UInt8]?
    private let source: QuerySource

    init(_ query: ListQuery, after: [UInt8]?, in source: QuerySource) {
        self.query = query
        self.after = after
        self.source = source
    }

    func step(_ budget: inout Budget, into lines: any AnswerLines) -> CursorStep {
        guard !budget.isSpent else { return .more }
        let world = source.world()
        let before = lines.count
        var page = ListPage<P>(limit: query.limit, in: world, into: lines)
        if let places = few(in: world, &budget) {
            fill(&page, places)
        } else {
            fill(&page, in: world)
        }
        budget.look(at: page.looked * Budget.rowUnits + page.count)
        budget.write(lines.count - before)
        let next = page.hasMore ? page.last.map { ListCursor(place: $0).text(for: query) } : nil
        return .ended(.done(.page(count: page.count, next: next, position: world.head)), restsOn: world.head)
    }

    private func fill(_ page: inout ListPage<P>, in world: World) {
        guard let path = ListPlan.ordered(query, P.indexes) else { return }
        let head = Array(path.prefix[..<path.prefixCount])
        let place = after.map { head + $0 }
        for segment in segments(head, path.range) {
            // A place behind a part that another one follows has passed it.
            if let place, let end = segment.end, !place.lexicographicallyPrecedes(end) { continue }
            let walk = IndexWalk(store: world.store, table: path.index.table, range: segment.range)
            walk.keys(segment.order, after: place) { key in
                guard let number = KeyReader.lastNumber(key) else { return true }
                return page.take(number, path.rest, key[path.prefixCount...])
            }
            if page.hasMore { return }
        }
    }

    /// The parts of the path in order: rows without an optional key stand last, in the order they were posted.
    private func segments(
        _ head: [UInt8], _ range: KeyRange
    ) -> [(range: KeyRange, order: Order, end: [UInt8]?)] {
        guard query.sort.isOptional else { return [(range, query.order, nil)] }
        let (present, absent) = (KeyRange(prefix: head + [0]), KeyRange(prefix: head + [1]))
        return [(present, query.order, absent.lower), (absent, .ascending, nil)]
    }

    /// A row and its place in the order of the list.
    private typealias Placed = (place: [UInt8], number: StreamNumber)

    /// Every row that the filters leave, in order, where they are few and no index has them so; nil otherwise.
    private func few(in world: World, _ budget: inout Budget) -> [Placed]? {
        var placed: [Placed] = []
        if let rows = Candidates.byEmail(P.self, query.filters, in: world.store) {
            placed = rows.map { self.placed($0) }
        } else {
            guard let ordered = ListPlan.ordered(query, P.indexes), !ordered.rest.isEmpty,
                let path = ListPlan.narrowest(query.filters, P.indexes), !path.prefix.isEmpty || path.isBounded,
                let numbers = numbers(path, in: world)
            else { return nil }
            budget.look(at: numbers.count * Budget.rowUnits)
            for number in numbers {
                guard let row = Rows.row(P.self, number, in: world.store), P.passes(row, path.rest) else { continue }
                placed.append(self.placed(row))
            }
        }
        let comes = ListOrder(query)
        placed.sort { comes.before($0.place, $1.place) }
        return placed
    }

    /// The rows of a path, where one page may look at them all.
    private func numbers(_ path: ListPlan.Path, in world: World) -> [StreamNumber]? {
        Candidates.numbers(path, atMost: world.limits.looks, in: world.store)
    }

    private func placed(_ row: P.Row) -> Placed {
        var key = KeyWriter()
        P.writeSortKey(query.sort, of: row, to: &key)
        key.number(P.number(of: row))
        return (key.bytes, P.number(of: row))
    }

    private func fill(_ page: inout ListPage<P>, _ places: [Placed]) {
        let comes = ListOrder(query)
        for row in places {
            if let after, !comes.before(after, row.place) { continue }
            guard page.write(row.number, at: row.place) else { return }
        }
    }
}

/// The order of a list, for places that no index sorted.
private struct ListOrder {
    let isDescending: Bool
    let isOptional: Bool

    init(_ query: ListQuery) {
        isDescending = query.order == .descending
        isOptional = query.sort.isOptional
    }

    /// A place is a sort key and the row's number behind it.
    func before(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        // An optional key begins with 0 where it is there and with 1 where it is not: those stand last, as posted.
        let isAbsent = isOptional && left.first == 1
        if isOptional, left.first != right.first { return !isAbsent }
        return isDescending && !isAbsent
            ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
    }
}

extension BrowseOrdered {
    /// `SORTS`: what a kind can be sorted by, the default first.
    static func sorts(_ kind: Kind) -> [Reply] {
        let sorts = kind.sorts.map { Reply.sort($0, .descending) }
        return sorts + [.done(.members([Member("count", .count(UInt64(kind.sorts.count)))]))]
    }
}
