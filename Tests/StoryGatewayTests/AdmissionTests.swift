import StoryCore
import TestSupport
import Testing

@testable import StoryGateway

/// Requests that are let in, and those that are not.
@Suite struct AdmissionTests {
    private static let token = AccessToken.random()
    private let admission = Admission(
        HostAndPort(host: "127.0.0.1", port: 7_117), token: token,
        ticket: Ticket(AccessToken(String(repeating: "t", count: 40))))

    /// Returns the status of the refusal; nil for a request that is let in.
    private func status(
        _ target: String = "/api/ping", host: [String] = ["127.0.0.1:7117"], method: String = "GET",
        token: String? = "Authorization: Bearer \(token.text)", also: String...
    ) -> Int? {
        let lines = host.map { "Host: \($0)" } + (token.map { [$0] } ?? []) + also
        let headers = lines.map { line in
            let sides = line.split(separator: ":", maxSplits: 1)
            return HTTPRequest.Header(String(sides[0]), String(sides[1].dropFirst()))
        }
        return admission.refusal(HTTPRequest(method: method, target: target, headers: headers))?.status.rawValue
    }

    @Test func `one host of this machine is named, with the port`() {
        for host in ["127.0.0.1:7117", "localhost:7117", "[::1]:7117"] { expect(status(host: [host]) == nil) }
        for host in ["127.0.0.1", "127.0.0.1:7118", "example.org:7117", "localhost:7117.", "", "LOCALHOST:7117"] {
            expect(status(host: [host]) == 421, "\(host)")
        }
        expect(status(host: []) == 400)
        expect(status(host: ["127.0.0.1:7117", "127.0.0.1:7117"]) == 400)
    }

    @Test func `a target begins with a slash, and no body comes in chunks`() {
        for target in ["http://127.0.0.1:7117/api/ping", "*", "", "api"] { expect(status(target) == 400, "\(target)") }
        expect(status(also: "Transfer-Encoding: chunked") == 400)
        expect(status(also: "Transfer-Encoding: identity", "Content-Length: 0") == 400)
        expect(status(also: "Content-Length: 1") == 400)
        expect(status(also: "Content-Length: 0") == nil)
    }

    @Test func `the page of somebody else is refused, whatever it knows`() {
        for header in [
            "Origin: http://example.org", "Origin: null", "Origin: https://127.0.0.1:7117",
            "Origin: http://localhost:7117", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ] {
            expect(status(also: header) == 403, "\(header)")
            expect(status("/?token=\(Self.token.text)", also: header) == 403, "\(header)")
        }
        expect(status(also: "Origin: http://127.0.0.1:7117", "Sec-Fetch-Site: same-origin") == nil)
        expect(status(also: "Sec-Fetch-Site: none") == nil)
        expect(status(also: "Origin: http://127.0.0.1:7117", "Origin: http://example.org") == 403)
    }

    @Test func `nobody without the token learns anything`() {
        let text = Self.token.text
        for header in [
            "Cookie: storykeep-7117=\(text)", "Cookie: other=1; storykeep-7117=\(text)",
            "authorization: bearer \(text)",
        ] { expect(status(token: header) == nil, "\(header)") }
        for header in [
            nil, "Authorization: Bearer \(text.dropLast())", "Authorization: Bearer \(text)0",
            "Authorization: Basic \(text)", "Cookie: storykeep-7118=\(text)", "Cookie: storykeep-7117=",
            "Cookie: xstorykeep-7117=\(text)", "Authorization: \(text)", "Authorization: Bearer ",
        ] {
            for target in [
                "/", "/api/ping", "/live/events", "/metrics", "/nothing", "/healthz/", "/healthz?token=\(text)",
            ] {
                expect(status(target, token: header) == 401, "\(target) \(header ?? "")")
            }
        }
        expect(status("/healthz", token: nil) == nil)
    }

    @Test func `a link sets the cookie, and a ticket does once`() {
        expect(status("/?token=\(Self.token.text)", token: nil) == 303)
        expect(status("/?token=\(Self.token.text)", token: nil) == 303)
        expect(status("/?token=nix", token: nil) == 401)
        expect(status("/api/ping?token=\(Self.token.text)", token: nil) == 401)
        let ticket = String(repeating: "t", count: 40)
        expect(status("/?token=\(ticket)", token: nil) == 303)
        expect(status("/?token=\(ticket)", token: nil) == 401)
        expect(status(token: "Authorization: Bearer \(ticket)") == 401)
    }

    @Test func `nothing but GET is done`() {
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "PATCH"] {
            expect(status(method: method) == 405, "\(method)")
            expect(status(method: method, token: nil) == 401, "\(method)")
        }
    }

    @Test func `a token has 32 characters or more of an address's`() {
        for text in [
            "", "short", String(repeating: "a", count: 31), String(repeating: "a", count: 257),
            String(repeating: "é", count: 40), String(repeating: " ", count: 40),
        ] {
            expect(AccessToken(text) == nil, "\(text)")
        }
        expect(AccessToken(String(repeating: "aZ0-_", count: 8)) != nil)
        expect(AccessToken.random().text != AccessToken.random().text && AccessToken.random().text.count == 64)
    }
}
