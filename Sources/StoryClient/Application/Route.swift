/// A navigation path: the current location of a person and the ones before it.
public struct Route<Location: Sendable>: Sendable {
    /// The current location.
    public var location: Location
    /// The locations before it, the first one first.
    private var earlier: [Location] = []

    /// Creates a route that begins at a location.
    public init(_ location: Location) { self.location = location }

    /// The route before its last step; nil where it begins.
    public var previous: Route? {
        guard let location = earlier.last else { return nil }
        var route = Route(location)
        route.earlier = Array(earlier.dropLast())
        return route
    }

    /// All locations, the first one first and the present one last.
    public var locations: [Location] { earlier + [location] }

    /// Returns the route extended by a location, with this route as its previous one.
    ///
    /// - Parameters:
    ///   - location: the location to go to.
    ///   - limit: the maximum number of locations, at least 1. Beyond it the oldest locations after the first are
    ///     dropped, so that going back ends at the first one.
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

    /// Returns the route with each of its locations changed by a function.
    public func mapLocations(_ change: (Location) -> Location) -> Route {
        var route = Route(change(location))
        route.earlier = earlier.map(change)
        return route
    }
}

extension Route: Equatable where Location: Equatable {}
extension Route: Hashable where Location: Hashable {}
