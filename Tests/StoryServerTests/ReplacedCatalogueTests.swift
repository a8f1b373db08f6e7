import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// The catalogue is replaced between two turns, while clients are connected.
@Suite struct ReplacedCatalogueTests {
    private let bench = LoopBench()

    init() { bench.connected("ann", "bob") }

    /// Replaces the catalogue by one with another kind, `coins`, and returns it.
    private func addCoins() throws -> Catalogue {
        let next = try Catalogue.standard.replaced(adding: [.coins])
        try bench.server.catalogueReplaced(by: next)
        return next
    }

    /// Replaces a catalogue by one without its last kind.
    private func removeCoins(from catalogue: Catalogue) throws {
        let coins = try require(catalogue.kinds.last?.kind)
        try bench.server.catalogueReplaced(by: try catalogue.replaced(removing: [coins]))
    }

    @Test func `a kind is unknown before and after it is served, and found by its name meanwhile`() throws {
        expect(bench.ask("GET coins/c1", from: "ann").first?.contains(#""code":"unknown""#) == true)
        let next = try addCoins()
        expect(bench.ask("GET coins/c1", from: "ann").first?.contains(#""code":"notFound""#) == true)
        expect(bench.ask("COUNT coins mint=m1", from: "ann") == [#"+ {"count":0,"position":0}"#])
        expect(bench.ask("LIST coin", from: "ann").first?.contains(#""nearest":"coins""#) == true)
        expect(bench.ask("HELP LIST", from: "ann").first?.contains(#""coins":["#) == true)
        expect(bench.ask("STATS", from: "ann").first?.contains(#""coins":0"#) == true)
        try removeCoins(from: next)
        expect(bench.ask("COUNT coins", from: "ann").first?.contains(#""code":"unknown""#) == true)
        expect(bench.ask("HELP LIST", from: "ann").first?.contains("coins") == false)
        expect(bench.ask("STATS", from: "ann").first?.contains("coins") == false)
    }

    @Test func `subscriptions to the rows of a removed kind end, and no other`() throws {
        let next = try addCoins()
        _ = bench.ask("SUBSCRIBE coins", from: "ann")
        _ = bench.ask("SUBSCRIBE events/coin-*", from: "ann")
        _ = bench.ask("SUBSCRIBE users", from: "bob")
        expect(bench.ask("CLIENTS", from: "bob").first?.contains(#""target":"coins""#) == true)
        try removeCoins(from: next)
        bench.run()
        expect(bench.hear("ann") == [#">1 {"end":"undefined","resume":1}"#])
        expect(bench.hear("bob") == [])
        expect(
            bench.ask(#"POST users {"name":"Ann","email":"a@example.org","prefecture":13}"#, from: "ann").count == 1)
        expect(bench.hear("bob").count == 1)
        expect(bench.ask("UNSUBSCRIBE 1", from: "ann").first?.contains(#""code":"notFound""#) == true)
        expect(bench.server.kept.account == bench.server.kept.counted)
    }

    @Test func `a filter with the name of an option is refused, and nothing is replaced`() throws {
        var coins = KindDeclaration.coins
        coins.filters.append(FilterSchema("limit", .field(0), "ID", "only those of this mint"))
        let next = try Catalogue.standard.replaced(adding: [coins])
        #expect(throws: SchemaError("a filter of coins has the name of an option")) {
            try bench.server.catalogueReplaced(by: next)
        }
        expect(bench.ask("COUNT coins", from: "ann").first?.contains(#""code":"unknown""#) == true)
    }
}
