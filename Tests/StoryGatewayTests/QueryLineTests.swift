import TestSupport
import Testing

@testable import StoryGateway

/// Addresses as request lines.
@Suite struct QueryLineTests {
    private func line(_ address: String) -> String? {
        guard let target = RequestTarget(address) else { return nil }
        return try? QueryLine.query(target.path.first ?? "", target: target.path.dropFirst(), options: target.query)
    }

    @Test func `an address is one request line, its values quoted where the protocol needs it`() {
        expect(line("/get/stories/12345?at=3") == "GET stories/12345 at=3")
        expect(line("/PING") == "PING")
        expect(
            line("/find/events?words=spring+-cancelled%20%22two+words%22")
                == #"FIND events words="spring -cancelled \"two words\"""#)
        expect(line("/get/seats/a%252Fb/c") == #"GET "seats/a%2Fb/c""#)
        expect(line("/list/orders?status=%E6%98%A5&limit=") == #"LIST orders status="春" limit="""#)
        expect(line("/list/orders?a=%7B%22x%22%3A1%7D") == #"LIST orders a="{\"x\":1}""#)
    }

    @Test func `whatever is no question is not sent`() {
        for address in [
            "/post/users", "/append/note-1", "/subscribe/events", "/quit", "/checkpoint", "/as/1", "/erase/events/a-1",
            "/",
            "/clients/end%207", "/cluster/promote%20n2", "/get/stories/1%0A", "/get/stories/1%00", "/get/a%E2%80%A8b",
            "/list/stories?a%20b=1", "/list/stories?=1", "/list/stories?limit=1%0D%0AQUIT", "/list/stories?a%22=1",
            "/get/%FF", "/get/%4", "/get/%zz", "/get/a#b", "get/a",
        ] { expect(line(address) == nil, "\(address)") }
    }

    @Test func `a stream goes on behind the last position, in its history`() throws {
        let target = try #require(RequestTarget("/events/note-*?from=3&types=Wrote"))
        var request = LiveRequest(target.path[...], target.query, last: nil)
        expect(try request.line() == "SUBSCRIBE events/note-* from=3 types=Wrote")
        request.opened(Array(#"{"log":"abc"}"#.utf8))
        request.began(Array(#"{"subscription":1,"position":17}"#.utf8))
        expect(try request.line() == "SUBSCRIBE events/note-* from=3 types=Wrote")
        request.sent(17)
        expect(try request.line() == "SUBSCRIBE events/note-* types=Wrote from=18 log=abc")
        let again = LiveRequest(target.path[...], target.query, last: 40)
        expect(try again.line() == "SUBSCRIBE events/note-* types=Wrote from=41")
        var rows = LiveRequest(["orders"], [], last: 40)
        rows.opened(Array(#"{"log":"abc"}"#.utf8))
        rows.sent(17)
        expect(try rows.line() == "SUBSCRIBE orders")
        var next = LiveRequest(["events"], [], last: nil)
        next.began(Array(#"{"subscription":1,"position":17}"#.utf8))
        expect(try next.line() == "SUBSCRIBE events from=18")
    }
}
