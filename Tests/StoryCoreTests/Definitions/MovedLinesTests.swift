import StoryCore
import TestSupport
import Testing

struct MovedLinesTests {
    private func lines(from old: String, to new: String) -> LineMapping? {
        LineMapping(from: Array(old.utf8), to: Array(new.utf8))
    }

    private let text = "from a\no: number\nq: text\nm: number\nindex m\non A { m += data.n }\non * { remove }"

    @Test(arguments: [
        "from a; o: number; q: text; m: number\non A { m += data.n }\non * { remove }",
        "sort m, o; index q\nindex m, o; from a; o: number; q: text; m: number\non A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number\non A { m += data.n } index q\non * { remove }\nsort m,\no\n",
        "from a; index m; o: number; sort q; q: text; m: number // c\non A { m += data.n }\non * { remove };sort m",
    ])
    func `other indexes, sorts, comments and lines leave the rows as they are`(_ other: String) throws {
        let moved = try require(lines(from: text, to: other))
        let (added, removed) = (other.split(separator: "\n"), text.split(separator: "\n"))
        for (line, statement) in [(6, "m += data.n"), (7, "remove")] {
            expect(removed[line - 1].contains(statement))
            expect(added[try require(moved[line]) - 1].contains(statement))
        }
        expect(moved[1] == nil)
    }

    @Test(arguments: [
        "from a; o: number; q: text; m: number; on A { m += data.o }\non * { remove }",
        "from a; o: number; m: number; q: text; on A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number = 0; on A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number; history; on A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number; key data.k; on A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number; note k: text; on A { m += data.n }\non * { remove }",
        "from a; o: number; q: text; m: number; on * { remove }\non A { m += data.n }",
    ])
    func `anything else may make other rows`(_ other: String) { expect(lines(from: text, to: other) == nil) }

    @Test func `a field may be called like a declaration`() throws {
        let (index, sort) = (
            "from a; index: number; on A { index = 1 }", "from a; index: number; sort index; on A { index = 1 }"
        )
        expect((try? Definition.read(sort)) != nil)
        expect(lines(from: index, to: sort) != nil)
        expect(lines(from: index, to: "from a; indey: number; on A { index = 1 }") == nil)
        expect(lines(from: index, to: "from a; index: text; on A { index = 1 }") == nil)
    }

    @Test func `statements of one line that part leave open which of them an event did not fit`() throws {
        let (one, two) = (
            "from a; m: number; on A { m += 1; m -= data.n }", "from a; m: number; on A { m += 1\nm -= data.n }"
        )
        expect(lines(from: one, to: two) == nil)
        let together = try require(lines(from: two, to: one))
        expect(together[1] == 1 && together[2] == 1)
    }
}
