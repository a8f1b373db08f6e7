import StoryCore
import TestSupport
import Testing

struct DefinitionTokensTests {
    private let plain = DefinitionTokens("from a\nn: number = 1\non A { n += data.n }\n")

    @Test(arguments: [
        "from a;n:number=1;on A{n+=data.n}",
        "// c\nfrom a // d\n\n\nn : number =\n 1\non A {\n\n  n += data . n // e\n}",
        "from a\r\n;n: number = 1;;\non A { n += data.n; }\n\n;",
    ])
    func `comments, white space and the form of ends do not count`(_ text: String) {
        expect(DefinitionTokens(text) == plain)
    }

    @Test(arguments: [
        "from a\nn: number = 2\non A { n += data.n }", "from a\nn: number = 1.0\non A { n += data.n }",
        "from a\nn: number = 1\non A { n += data['n'] }", "from a n: number = 1\non A { n += data.n }",
    ])
    func `another token is another definition`(_ text: String) { expect(DefinitionTokens(text) != plain) }

    @Test func `texts are compared byte by byte`() {
        expect(DefinitionTokens("'\u{E9}'") != DefinitionTokens("'e\u{301}'"))
    }
}
