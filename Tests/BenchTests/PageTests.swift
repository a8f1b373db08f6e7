import TestSupport
import Testing

@testable import storebench

@Suite struct PageTests {
    @Test func `Only what stands between the marks is replaced`() throws {
        let page = "before\n\(Page.start)\nold\n\(Page.end)\nafter\n"
        let once = try require(Page.replaced(page, by: "new"))
        expect(once == "before\n\(Page.start)\n\nnew\n\(Page.end)\nafter\n")
        expect(Page.replaced(once, by: "new") == once)
    }

    @Test func `A page without both marks, in order, is left alone`() {
        expect(Page.replaced("no marks\n", by: "new") == nil)
        expect(Page.replaced("\(Page.start)\n", by: "new") == nil)
        expect(Page.replaced("\(Page.end)\n\(Page.start)\n", by: "new") == nil)
    }
}
