import StoryClient
import TestSupport
import Testing

@Suite struct RouteTests {
    @Test func `a route knows its previous one, back to where it began`() throws {
        let route = Route("list").going(to: "story").going(to: "sender")
        expect(route.location == "sender")
        expect(route.previous == Route("list").going(to: "story"))
        expect(route.previous?.previous == Route("list"))
        expect(Route("list").previous == nil)
    }

    @Test func `a location that changes keeps the locations around it`() {
        var route = Route(1).going(to: 2).going(to: 3)
        route.location = 30
        expect(route.locations == [1, 2, 30])
        expect(route.mapLocations { $0 * 2 }.locations == [2, 4, 60])
    }

    @Test func `a long route forgets its middle, but neither where it began nor where one is`() {
        let route = (1...9).reduce(Route(0)) { $0.going(to: $1, limit: 4) }
        expect(route.locations == [0, 7, 8, 9])
        expect(Route(0).going(to: 1, limit: 1).locations == [1])
        expect(Route(0).going(to: 1, limit: 2).locations == [0, 1])
    }
}
