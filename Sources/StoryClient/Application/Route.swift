/// Where a person is, and how they came there: each route knows its previous one.
public struct Route<Place: Sendable>: Sendable {
    /// Where one is.
    public var place: Place
    /// The places before it, the first one first.
    private var earlier: [Place] = []

    /// A route that begins here.
    public init(_ place: Place) { self.place = place }

    /// The route one came by; nil where it begins.
    public var previous: Route? {
        guard let place = earlier.last else { return nil }
        var route = Route(place)
        route.earlier = Array(earlier.dropLast())
        return route
    }

    /// All places, the first one first and the present one last.
    public var places: [Place] { earlier + [place] }

    /// The route that goes on to a place, and has this one as its previous one.
    ///
    /// - Parameters:
    ///   - place: where to go.
    ///   - limit: how many places a route may have, at least 1; the second ones are forgotten beyond that, so that one
    ///     always comes back to where it began.
    public func going(to place: Place, limit: Int = 64) -> Route {
        var route = Route(place)
        route.earlier = places
        let surplus = route.earlier.count + 1 - max(1, limit)
        if surplus > 0 {
            let first = min(1, route.earlier.count - surplus)
            route.earlier.removeSubrange(first..<first + surplus)
        }
        return route
    }

    /// The route with each of its places changed by a function.
    public func mapPlaces(_ change: (Place) -> Place) -> Route {
        var route = Route(change(place))
        route.earlier = earlier.map(change)
        return route
    }
}

extension Route: Equatable where Place: Equatable {}
extension Route: Hashable where Place: Hashable {}
