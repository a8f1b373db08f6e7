import StoryCore
import StoryModels

/// `READ`: which events answer it; the shell copies them from the log.
enum ReadEvents {
    static func plan(_ query: ReadQuery, in world: World) -> ReadPlan {
        let (source, last) = resolve(query.selection.source, in: world)
        let (lower, upper) = bounds(query, last: last)
        return ReadPlan(
            source: source, lower: lower, upper: upper, order: query.order, limit: query.limit,
            types: query.selection.types, head: world.head)
    }

    /// The names as numbers, and the last version or position there is.
    private static func resolve(
        _ source: EventSelection.Source, in world: World
    ) -> (source: ReadPlan.Source, last: UInt64) {
        switch source {
        case .all: return (.all, world.head.value)
        case .stream(let name):
            guard let head = StreamsModel.head(of: name, in: world.store) else { return (.nothing, 0) }
            return (.stream(head.number), head.version.value)
        case .category(let name):
            guard let number = StreamsModel.number(of: name, in: world.store) else { return (.nothing, 0) }
            return (.category(number), world.head.value)
        }
    }

    /// `from` is where reading begins and `to` where it ends, whichever way it goes; where both are given, either may
    /// be the greater one.
    private static func bounds(_ query: ReadQuery, last: UInt64) -> (lower: UInt64, upper: UInt64) {
        let lower: UInt64
        let upper: UInt64
        switch (query.from, query.to, query.order) {
        case (let from?, let to?, .descending): (lower, upper) = (min(from, to), max(from, to))
        case (let from?, let to?, .ascending): (lower, upper) = (from, to)
        case (let from?, nil, .ascending): (lower, upper) = (from, last)
        case (let from?, nil, .descending): (lower, upper) = (1, from)
        case (nil, let to?, .ascending): (lower, upper) = (1, to)
        case (nil, let to?, .descending): (lower, upper) = (to, last)
        case (nil, nil, _): (lower, upper) = (1, last)
        }
        return (lower, min(upper, last))
    }
}
