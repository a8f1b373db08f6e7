/// Where a person is, and how they came there: each route knows its previous one.
public struct Route<Location: Sendable>: Sendable {
    /// Where one is.
    public var location: Location
    /// The locations before it, the first one first.
    private var earlier: [Location] = []

    /// A route that begins here.
    public init(_ location: Location) { self.location = location }

    /// The route one came by; nil where it begins.
    public var previous: Route? {
        guard let location = earlier.last else { return nil }
        var route = Route(location)
        route.earlier = Array(earlier.dropLast())
        return route
    }

    /// All locations, the first one first and the present one last.
    public var locations: [Location] { earlier + [location] }

    /// The route that goes on to a location, and has this one as its previous one.
    ///
    /// - Parameters:
    ///   - location: where to go.
    ///   - limit: how many locations a route may have, at least 1; the second ones are forgotten beyond that, so that one
    ///     always comes back to where it began.
    public func going(to location: Location, limit: Int = 64) -> Route {
        var route = Route(location)
        route.earlier = locations
        let surplus = route.earlier.count + 1 - max(1, limit)
        if surplus > 0 {
            let first = min(1, route.earlier.count - surplus)
            route.earlier.removeSubrange(first..<first + surplus)
        }
        return route
    }

    /// The route with each of its locations changed by a function.
    public func mapLocations(_ change: (Location) -> Location) -> Route {
        var route = Route(change(location))
        route.earlier = earlier.map(change)
        return route
    }
}

extension Route: Equatable where Location: Equatable {}
extension Route: Hashable where Location: Hashable {}
