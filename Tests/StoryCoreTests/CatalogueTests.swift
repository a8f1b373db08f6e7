import StoryCore
import TestSupport
import Testing

struct CatalogueTests {
    @Test func `a copy of a catalogue has the same kinds, and shares no object with it`() {
        let (catalogue, copy) = (Catalogue.standard, Catalogue.standard.copy())
        expect(copy !== catalogue && copy.tables == catalogue.tables && copy.models == catalogue.models)
        expect(copy.kinds.count == catalogue.kinds.count)
        for (one, other) in zip(copy.kinds, catalogue.kinds) {
            expect(one !== other && one.name == other.name && one.number == other.number)
            expect(one.events.map(\.type) == other.events.map(\.type))
        }
    }

    @Test func `the next catalogue has the same schemas, and a number is not given twice`() throws {
        let first = Catalogue.standard
        let second = try first.replaced(adding: [.coins])
        let coins = try require(second.kinds.last)
        expect(second.epoch == first.epoch + 1 && coins.number == first.numberEnd)
        expect(zip(first.kinds, second.kinds).allSatisfy { $0 === $1 } && second.kinds.count == first.kinds.count + 1)
        let third = try second.replaced(removing: [coins.kind], adding: [.coins])
        let others = try require(third.kinds.last)
        expect(third.schema(of: coins.kind) == nil && third.layout(of: coins.kind) == nil)
        expect(others.number == coins.number + 1 && third[others.kind] === others)
        expect("coins".bytes.withBytes { third.kind(named: $0) } == others.kind)
        expect("coin-c1".bytes.withBytes { third.kind(stream: $0) }?.kind == others.kind)
        expect(third.copy().kinds.map(\.number) == third.kinds.map(\.number))
        expect(second.schema(of: coins.kind) === coins, "an epoch does not change")
    }

    @Test func `a catalogue follows those it was made from, and no other`() throws {
        let first = Catalogue.standard
        let (one, other) = (try first.replaced(adding: [.coins]), try first.replaced(adding: [.coins]))
        expect(one.follows(first) && other.follows(first) && !first.follows(one) && !first.follows(first))
        expect(!one.follows(other), "one epoch")
        expect(try !one.replaced().follows(other), "one number, two kinds")
        expect(try one.replaced(removing: [.users]).follows(first))
    }

    @Test func `a catalogue with a contradiction is not made`() throws {
        #expect(throws: SchemaError("two tables have one number or one name")) {
            try Catalogue.standard.replaced(adding: [.coins, .coins])
        }
    }
}
