package import StoryCore

/// The checks of a request before anything is done for it, in the order in which a refusal is given.
package struct Admission: Sendable {
    /// The path that needs no token, and tells nothing.
    static let openPath = "/healthz"

    /// The address that is listened on.
    private let address: HostAndPort
    private let token: AccessToken
    private let ticket: Ticket
    private var cookie: String { "storykeep-\(address.port)" }
    /// The hosts that a request of this machine may name.
    private var hosts: [String] { ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(address.port)" } }

    package init(_ address: HostAndPort, token: AccessToken, ticket: Ticket) {
        (self.address, self.token, self.ticket) = (address, token, ticket)
    }

    /// The address of the page for somebody who has the token.
    package func link(with token: AccessToken) -> String { "http://\(address)/?token=\(token.text)" }

    /// Returns the refusal of a request, or the answer that lets a browser in by its link; nil for one that is let in.
    package func refusal(_ request: HTTPRequest) -> HTTPAnswer? {
        addressed(request) ?? foreign(request) ?? unknown(request) ?? unsupported(request)
    }

    /// Refuses a request that is not for this page: a name of another machine may lead to this address.
    private func addressed(_ request: HTTPRequest) -> HTTPAnswer? {
        let named = request.values(of: "host")
        guard named.count == 1 else { return .text("a request has one Host", status: .badRequest) }
        guard hosts.contains(named[0]) else {
            return .text(
                "this page is at \(address) alone; from another machine: ssh -L \(address.port):\(address) HOST",
                status: .misdirected)
        }
        guard request.target.utf8.first == UInt8(ascii: "/") else {
            return .text("a target begins with a slash", status: .badRequest)
        }
        guard request.values(of: "transfer-encoding").isEmpty else {
            return .text("a request has no Transfer-Encoding", status: .badRequest)
        }
        return nil
    }

    /// Refuses a request that the page of somebody else makes.
    private func foreign(_ request: HTTPRequest) -> HTTPAnswer? {
        let own = request.values(of: "host").map { "http://" + $0 }
        guard request.values(of: "origin").allSatisfy(own.contains),
            request.values(of: "sec-fetch-site").allSatisfy(["none", "same-origin"].contains)
        else { return .text("another page may not ask here", status: .forbidden) }
        return nil
    }

    /// Refuses a request without the token, and exchanges that of a link for a cookie.
    private func unknown(_ request: HTTPRequest) -> HTTPAnswer? {
        if request.method == "GET", request.address?.path == [""], let shown = request.address?.value(of: "token"),
            token.matches(shown) || ticket.admits(shown)
        {
            let attributes = "; Path=/; HttpOnly; SameSite=Strict"
            return HTTPAnswer(
                status: .seeOther,
                headers: [
                    ("Location", "/"), ("Set-Cookie", "\(cookie)=\(token.text)\(attributes)"),
                    ("Cache-Control", "no-store"),
                ])
        }
        guard request.target != Admission.openPath,
            !(bearers(request) + cookies(request)).contains(where: token.matches)
        else { return nil }
        return .text(
            "open the address that storectl serve has printed, with its token", status: .unauthorized,
            and: [("WWW-Authenticate", "Bearer")])
    }

    /// Refuses whatever is not a plain question.
    private func unsupported(_ request: HTTPRequest) -> HTTPAnswer? {
        guard request.method == "GET" else {
            return .text("nothing is written here: GET", status: .methodNotAllowed, and: [("Allow", "GET")])
        }
        guard request.values(of: "content-length").allSatisfy({ $0 == "0" }) else {
            return .text("a question has no body", status: .badRequest)
        }
        return nil
    }

    private func bearers(_ request: HTTPRequest) -> [String] {
        request.values(of: "authorization").compactMap { value in
            let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
            return parts.count == 2 && parts[0].lowercased() == "bearer" ? parts[1] : nil
        }
    }

    private func cookies(_ request: HTTPRequest) -> [String] {
        request.values(of: "cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let sides = pair.split(separator: "=", maxSplits: 1)
            let name = sides.first.map { $0.drop { $0 == " " } }
            return sides.count == 2 && name?.elementsEqual(cookie) == true ? String(sides[1]) : nil
        }
    }
}
