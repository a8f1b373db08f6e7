package import StoryCore
package import StoryFold

/// A walk over the positions that several lists have in common.
///
/// Each list is searched for the furthest position that another one has, until all lists have the same one. So a walk costs
/// as many searches as its shortest list has positions.
struct ListWalk {
    private var lists: [SoughtList]
    private let order: Order
    private let bounds: ClosedRange<Position>
    /// The position from which on nothing was found yet.
    private(set) var target: Position
    /// The number of lists, up to the one that is searched next, that have the target.
    private var agreeing = 0
    /// The list that is searched next.
    private var turn = 0
    /// True once there is no further event.
    private(set) var isAtEnd = false

    /// Creates a walk that begins at one end of a range of positions.
    ///
    /// - Parameter lists: at least one.
    init(_ lists: [EventList], in bounds: ClosedRange<Position>, _ order: Order) {
        self.lists = lists.map { SoughtList($0) }
        self.order = order
        self.bounds = bounds
        target = order == .ascending ? bounds.lowerBound : bounds.upperBound
    }

    /// The searches with which one call of `find` gets on in any case: the last one is used once another is left.
    var searchesToGetOn: Int { lists.count + 1 }

    /// The approximate size of a walk over this number of lists, in bytes.
    static func keptBytes(_ count: Int) -> Int { count * (MemoryLayout<SoughtList>.stride + 8 * SoughtList.mostAhead) }

    /// Finds the next positions, in order, until there are `limit` of them or no search is left.
    ///
    /// - Returns: the work that it took.
    /// - Throws: the error of reading the models.
    mutating func find(
        _ limit: Int, into found: inout [Position], searches: inout Int, in index: StreamIndex
    ) throws(StorageError) -> Work {
        var work = Work.zero
        while !isAtEnd, found.count < limit, searches > 0 {
            if let position = lists[turn].first(from: target, order) {
                agree(on: position, &found)
            } else if lists[turn].isRead {
                isAtEnd = true
            } else {
                let alone = lists.count == 1 ? limit - found.count : nil
                work += try lists[turn].search(range, order, alone: alone, in: index)
                searches -= 1
            }
        }
        return work
    }

    /// The part of the bounds that was not walked.
    private var range: ClosedRange<Position> {
        order == .ascending ? target...bounds.upperBound : bounds.lowerBound...target
    }

    /// Goes on to the next list after one has this position as its first from the target on.
    private mutating func agree(on position: Position, _ found: inout [Position]) {
        agreeing = position == target ? agreeing + 1 : 1
        target = position
        turn = turn + 1 < lists.count ? turn + 1 : 0
        guard agreeing == lists.count else { return }
        found.append(position)
        agreeing = 0
        guard position != (order == .ascending ? bounds.upperBound : bounds.lowerBound) else { return isAtEnd = true }
        target = order == .ascending ? position.next : position.previous
    }
}

/// A list of positions that an index has, in ascending order.
package enum EventList: Equatable, Sendable {
    case tag(EventTag)
    case stream(StreamHead)
    /// The events of the category with a number.
    case category(UInt64)
}

/// One of the lists of a walk, with the positions of it that were read ahead.
private struct SoughtList {
    /// The least and the most positions that are read ahead of a search.
    private static let leastAhead = 4
    static let mostAhead = 64
    /// The number of searches that finding a version by its position takes.
    private static let searchesOfVersion = 4

    private let events: EventList
    /// Positions that were read ahead, in the order of the walk.
    private var ahead: [Position] = []
    private var next = 0
    private var size = SoughtList.leastAhead
    /// True if some of those that were read ahead were used after the first.
    private var isNear = false
    /// True once everything was read ahead.
    private(set) var isRead = false

    init(_ events: EventList) { self.events = events }

    /// Returns the first position from a target on; nil where none is left that was read ahead.
    mutating func first(from target: Position, _ order: Order) -> Position? {
        while next < ahead.count, order == .ascending ? ahead[next] < target : ahead[next] > target { next += 1 }
        guard next < ahead.count else { return nil }
        if next > 0 { isNear = true }
        return ahead[next]
    }

    /// Reads ahead from one end of a range; more than before while the walk uses the positions that were read.
    ///
    /// - Parameter alone: the number of positions that the walk needs of its only list; nil: it has several.
    mutating func search(
        _ range: ClosedRange<Position>, _ order: Order, alone: Int?, in index: StreamIndex
    ) throws(StorageError) -> Work {
        size = alone ?? (isNear ? min(size * 2, SoughtList.mostAhead) : SoughtList.leastAhead)
        ahead.removeAll(keepingCapacity: true)
        (next, isNear) = (0, false)
        let searches: Int
        switch events {
        case .tag(let tag):
            searches = 1
            try index.tags.scan(tag, from: range.lowerBound, through: range.upperBound, order) {
                ahead.append($0)
                return ahead.count < size
            }
        case .category(let number):
            searches = 1
            try index.scanCategory(number, from: range.lowerBound, through: range.upperBound, order) {
                ahead.append($0)
                return ahead.count < size
            }
        case .stream(let head):
            searches = SoughtList.searchesOfVersion
            var (first, last) = (Version(1), head.version)
            if order == .ascending {
                first = try index.version(atOrAfter: range.lowerBound, in: head)
            } else {
                last = Version(try index.version(atOrAfter: range.upperBound.next, in: head).value - 1)
            }
            try index.scanVersions(of: head, from: first, through: last, order) { _, position in
                // Those behind the range are not durable yet.
                guard range.contains(position) else { return (position < range.lowerBound) == (order == .ascending) }
                ahead.append(position)
                return ahead.count < size
            }
        }
        isRead = ahead.count < size
        return searches * .search + ahead.count * .key
    }
}
