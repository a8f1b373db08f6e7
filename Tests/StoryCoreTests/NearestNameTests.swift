import TestSupport
import Testing

@testable import StoryCore

/// The nearest name to a misspelt one.
struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("LIST", "LIST", 0), ("LSIT", "LIST", 1), ("storys", "stories", 2),
        ("GTE", "GET", 1), ("kitten", "sitting", 3), ("elephants", "cats", 3),
    ])
    func `a swap of neighbours counts once, and from three on all are far`(left: String, right: String, distance: Int) {
        expect(NearestName.distance(Array(left.utf8), Array(right.utf8)) == distance)
        expect(NearestName.distance(Array(right.utf8), Array(left.utf8)) == distance)
    }

    @Test(arguments: [
        ("tpye", "type"), ("TYPE", "type"), ("tittle", "title"), ("recipiant", "recipient"), ("xyz", nil), ("t", nil),
        (String(repeating: "n", count: 65), nil),
    ])
    func `a letter may differ in a short name, two in a longer one`(wrong: String, nearest: String?) {
        let names = ["type", "title", "recipient", "x", String(repeating: "n", count: 64)]
        expect(NearestName.find(wrong.utf8, among: names) == nearest)
        expect(NearestName.hint(wrong, among: names) == (nearest.map { "; the nearest is \($0)" } ?? ""))
    }
}
