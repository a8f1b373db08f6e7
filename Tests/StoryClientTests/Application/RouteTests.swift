import StoryClient
import Testing

@Suite struct RouteTests {
    @Test func `a route knows its previous one, back to where it began`() throws {
        let route = Route("list").going(to: "story").going(to: "sender")
        #expect(route.place == "sender")
        #expect(route.previous == Route("list").going(to: "story"))
        #expect(route.previous?.previous == Route("list"))
        #expect(Route("list").previous == nil)
    }

    @Test func `a place that changes keeps the places around it`() {
        var route = Route(1).going(to: 2).going(to: 3)
        route.place = 30
        #expect(route.places == [1, 2, 30])
        #expect(route.mapPlaces { $0 * 2 }.places == [2, 4, 60])
    }

    @Test func `a long route forgets its middle, but neither where it began nor where one is`() {
        let route = (1...9).reduce(Route(0)) { $0.going(to: $1, limit: 4) }
        #expect(route.places == [0, 7, 8, 9])
        #expect(Route(0).going(to: 1, limit: 1).places == [1])
        #expect(Route(0).going(to: 1, limit: 2).places == [0, 1])
    }
}
