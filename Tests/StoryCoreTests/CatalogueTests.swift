import StoryCore
import Testing

struct CatalogueTests {
    @Test func `a copy of a catalogue has the same kinds, and shares no object with it`() {
        let (catalogue, copy) = (Catalogue.standard, Catalogue.standard.copy())
        #expect(copy !== catalogue && copy.tables == catalogue.tables && copy.models == catalogue.models)
        #expect(copy.kinds.count == catalogue.kinds.count)
        for (one, other) in zip(copy.kinds, catalogue.kinds) {
            #expect(one !== other && one.name == other.name && one.number == other.number)
            #expect(one.events.map(\.type) == other.events.map(\.type))
        }
    }
}
