import StoryCore
import StoryFold

/// A walk over the positions that one of several groups of lists has in common, each once.
struct MergedWalk {
    /// The searches of one call, unless its groups have more lists.
    private static let searches = 32
    /// The most positions of a group that are found ahead of the others.
    private static let mostAhead = 64

    /// A group of lists, with the positions that were found in it and are not among those of the merged walk.
    private struct Group {
        var walk: ListWalk
        var ahead: [Position] = []
        var next = 0

        /// The next position; nil where none was found.
        var first: Position? { next < ahead.count ? ahead[next] : nil }
        /// True where nothing was found that the walk can give before it is searched.
        var isWanting: Bool { first == nil && !walk.isAtEnd }

        /// Finds the next positions in place of those that were taken.
        mutating func find(
            _ limit: Int, searches: inout Int, in index: StreamIndex
        ) throws(StorageError) -> Work {
            ahead.removeAll(keepingCapacity: true)
            next = 0
            return try walk.find(min(limit, MergedWalk.mostAhead), into: &ahead, searches: &searches, in: index)
        }
    }

    private var groups: [Group]
    private let order: Order

    /// Creates a walk that begins at one end of a range of positions.
    ///
    /// - Parameter groups: at least one, each with a list.
    init(_ groups: [[EventList]], in bounds: ClosedRange<Position>, _ order: Order) {
        self.groups = groups.map { Group(walk: ListWalk($0, in: bounds, order)) }
        self.order = order
    }

    /// The approximate size of a walk that finds the events of a selection, in bytes.
    static func keptBytes(_ selection: EventSelection) -> Int {
        let tags = selection.query.tags.count
        let items = selection.query.items
        guard !items.isEmpty else { return tags == 0 ? 0 : ListWalk.keptBytes(tags + 1) + 8_192 }
        let lists = items.reduce(0) { $0 + $1.query.tags.count + tags + 2 }
        return ListWalk.keptBytes(lists) + items.count * (MemoryLayout<Group>.stride + 8 * mostAhead) + 8_192
    }

    /// True once there is no further position.
    var isAtEnd: Bool { groups.allSatisfy { $0.first == nil && $0.walk.isAtEnd } }

    /// The position from which on nothing was given yet; nil at the end.
    var target: Position? {
        var least: Position?
        for group in groups {
            guard let position = group.first ?? (group.walk.isAtEnd ? nil : group.walk.target) else { continue }
            least = least.map { isBefore(position, $0) ? position : $0 } ?? position
        }
        return least
    }

    /// Finds the next positions, in order, until there are `limit` of them or enough was done; each call gets on, also
    /// that of a new walk which begins where another one was left.
    ///
    /// - Returns: the work that it took.
    /// - Throws: the error of reading the models.
    mutating func find(
        _ limit: Int, into found: inout [Position], in index: StreamIndex
    ) throws(StorageError) -> Work {
        guard groups.count > 1 else {
            var searches = max(MergedWalk.searches, groups[0].walk.searchesToGetOn)
            return try groups[0].walk.find(limit, into: &found, searches: &searches, in: index)
        }
        var work = Work.zero
        // The walk gets on only where each group does.
        let wanting = groups.indices.filter { groups[$0].isWanting }
        for number in wanting {
            var searches = max(MergedWalk.searches / wanting.count, groups[number].walk.searchesToGetOn)
            work += try groups[number].find(limit, searches: &searches, in: index)
        }
        while found.count < limit, let next = takeNext() {
            found.append(next)
            work += groups.count * .link
        }
        return work
    }

    /// Takes the next position, and from each group that has it; nil where a group that was not searched may have one
    /// before it.
    private mutating func takeNext() -> Position? {
        guard let next = target, groups.allSatisfy({ !$0.isWanting || isBefore(next, $0.walk.target) }),
            groups.contains(where: { $0.first == next })
        else { return nil }
        for number in groups.indices where groups[number].first == next { groups[number].next += 1 }
        return next
    }

    private func isBefore(_ one: Position, _ other: Position) -> Bool {
        order == .ascending ? one < other : one > other
    }
}
