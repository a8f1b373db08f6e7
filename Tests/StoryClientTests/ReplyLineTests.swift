import StoryClient
import TestSupport
import Testing

@Suite struct ReplyLineTests {
    @Test(arguments: [
        ("= {\"a\":1}", ReplyLine.Kind.row, "", "{\"a\":1}"), ("+@t1 {}", .done, "t1", "{}"),
        ("-@9 {\"code\":\"x y\"}", .failed, "9", "{\"code\":\"x y\"}"), (">3 {}", .push, "3", "{}"),
        ("* {}", .notice, "", "{}"),
    ])
    func `a line is its first byte, its mark and its JSON`(
        line: String, kind: ReplyLine.Kind, mark: String, json: String
    ) {
        let read = ReplyLine(Array(line.utf8))
        expect(read?.kind == kind)
        expect(read?.mark == mark)
        expect(read?.text == json)
    }

    @Test(arguments: ["", "HTTP/1.1 400 Bad Request", "+", "+{}", " + {}"])
    func `other lines are not read`(line: String) {
        expect(ReplyLine(Array(line.utf8)) == nil)
    }
}
