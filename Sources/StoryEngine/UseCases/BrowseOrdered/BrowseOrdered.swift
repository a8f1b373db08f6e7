import StoryCore
import StoryModels

/// `LIST`: a page of rows, filtered and sorted, found along indexes.
enum BrowseOrdered {
    /// Up to so many rows of a filter are fetched and sorted here where no index has both the filter and the order.
    static let sortLimit = 4_096

    static func page(_ query: ListQuery, in world: World) -> [Reply] {
        switch query.kind {
        case .users: page(UserProjection.self, query, in: world, Row.user)
        case .stories: page(StoryProjection.self, query, in: world, Row.story)
        case .messages: page(MessageProjection.self, query, in: world, Row.message)
        case .photos: page(PhotoProjection.self, query, in: world, Row.photo)
        }
    }

    private static func page<P: Projection>(
        _ projection: P.Type, _ query: ListQuery, in world: World, _ wrap: (P.Row) -> Row
    ) -> [Reply] {
        var cursor: ListCursor?
        if let after = query.after {
            cursor = ListCursor(after, for: query)
            guard cursor != nil else {
                let message = "is no next of this list: send the same filters, sort and order that it came with"
                return [.failed(.invalid("after", .malformed, message))]
            }
        }
        var page = Page<P>(limit: query.limit, bytes: world.limits.page)
        fill(&page, query, after: cursor?.place, in: world)
        let next = page.hasMore ? page.last.map { ListCursor(place: $0).text(for: query) } : nil
        let done = Done.page(count: page.rows.count, next: next, position: world.head)
        return page.rows.map { .row(wrap($0)) } + [.done(done)]
    }

    private static func fill<P: Projection>(
        _ page: inout Page<P>, _ query: ListQuery, after: [UInt8]?, in world: World
    ) {
        if let rows = few(P.self, query, in: world) {
            return fill(&page, sorted: rows, query, after: after)
        }
        guard let path = ListPlan.ordered(query, P.indexes) else { return }
        let head = Array(path.prefix[..<path.prefixCount])
        let place = after.map { head + $0 }
        for segment in segments(query, head, path.range) {
            // A place behind a part that another one follows has passed it.
            if let place, let end = segment.end, !place.lexicographicallyPrecedes(end) { continue }
            let walk = IndexWalk(store: world.store, table: path.index.table, range: segment.range)
            walk.keys(segment.order, after: place) { key in
                guard let number = KeyReader.lastNumber(key), let found = page.fetch(number, in: world.store),
                    path.rest.allSatisfy({ P.matches(found.row, $0) })
                else { return true }
                return page.add(found, place: Array(key[path.prefixCount...]))
            }
            if page.hasMore { return }
        }
    }

    /// The parts of the path in order: rows without an optional key stand last, in the order they were posted.
    private static func segments(
        _ query: ListQuery, _ head: [UInt8], _ range: KeyRange
    ) -> [(range: KeyRange, order: Order, end: [UInt8]?)] {
        guard query.sort.isOptional else { return [(range, query.order, nil)] }
        let (present, absent) = (KeyRange(prefix: head + [0]), KeyRange(prefix: head + [1]))
        return [(present, query.order, absent.lower), (absent, .ascending, nil)]
    }

    /// Every row that the filters leave, where they are few and no index has them in order; nil otherwise.
    private static func few<P: Projection>(
        _ projection: P.Type, _ query: ListQuery, in world: World
    ) -> [P.Row]? {
        if let rows = Candidates.byEmail(P.self, query.filters, in: world.store) { return rows }
        guard let ordered = ListPlan.ordered(query, P.indexes), !ordered.rest.isEmpty,
            let path = ListPlan.narrowest(query.filters, P.indexes), !path.prefix.isEmpty || path.isBounded
        else { return nil }
        return Candidates.rows(P.self, path, atMost: sortLimit, in: world.store)
    }

    private static func fill<P: Projection>(
        _ page: inout Page<P>, sorted rows: [P.Row], _ query: ListQuery, after: [UInt8]?
    ) {
        var places = rows.map { row in
            var key = KeyWriter()
            P.writeSortKey(query.sort, of: row, to: &key)
            key.number(P.number(of: row))
            return (bytes: key.bytes, row: row)
        }
        let comes = ListOrder(query)
        places.sort { comes.before($0.bytes, $1.bytes) }
        for place in places {
            if let after, !comes.before(after, place.bytes) { continue }
            guard page.add((place.row, P.encode(place.row).count), place: place.bytes) else { return }
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

/// The rows of one page as they are found.
struct Page<P: Projection> {
    private(set) var rows: [P.Row] = []
    /// The place of the last row.
    private(set) var last: [UInt8]?
    /// True when there is a row that the page has no room for.
    private(set) var hasMore = false
    private var bytesLeft: Int
    private let limit: Int

    init(limit: Int, bytes: Int) {
        self.limit = limit
        bytesLeft = bytes
    }

    /// The row of a number, and how many bytes it takes.
    func fetch(_ number: StreamNumber, in store: any ModelStore) -> (row: P.Row, bytes: Int)? {
        guard let bytes = store.value(in: P.rows, at: KeyWriter.number(number)) else { return nil }
        return P.decode(bytes, number: number).map { ($0, bytes.count) }
    }

    /// False when the page is full.
    mutating func add(_ found: (row: P.Row, bytes: Int), place: [UInt8]) -> Bool {
        guard rows.count < limit, bytesLeft > 0 else {
            hasMore = true
            return false
        }
        rows.append(found.row)
        last = place
        bytesLeft -= found.bytes
        return true
    }
}

extension BrowseOrdered {
    /// `SORTS`: what a kind can be sorted by, the default first.
    static func sorts(_ kind: Kind) -> [Reply] {
        let sorts = kind.sorts.map { Reply.sort($0, .descending) }
        return sorts + [.done(.members([Member("count", .count(UInt64(kind.sorts.count)))]))]
    }
}
