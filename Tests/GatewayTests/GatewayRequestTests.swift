import Foundation
import Glibc
import TestSupport
import Testing

/// Browsers, pages and programs that mean no good with the gateway.
@Suite(.timeLimit(.minutes(10))) struct GatewayRequestTests {
    /// `make hostile` is the long form.
    private static let scale = Scale("HOSTILE")

    @Test func `each check of who gets in, as bytes, in its order; every answer forbids what it should`() throws {
        let gateway = try RunningGateway(try Scratch().place("none"))
        let (host, token) = ("Host: 127.0.0.1:\(gateway.port)", "Authorization: Bearer \(gateway.token)")
        let (cookie, link) = ("Cookie: storykeep-\(gateway.port)=\(gateway.token)", "/?token=\(gateway.token)")
        let foreign = "Origin: http://example.org"
        // A store that is away is 503: whoever gets that was let in.
        for (request, lines, status) in [
            ("GET /api/ping HTTP/1.1", [host, token], 503), ("GET /api/ping HTTP/1.1", [host, cookie], 503),
            ("GET /api/ping HTTP/1.1", ["Host: localhost:\(gateway.port)", token], 503),
            ("GET /api/ping HTTP/1.1", ["Host: [::1]:\(gateway.port)", token], 503),
            ("GET /api/ping HTTP/1.0", [host, token], 503), ("GET /api/ping HTTP/1.0", [token], 400),
            ("GET /api/ping HTTP/1.1", ["Host: 127.0.0.1", token], 421),
            ("GET /api/ping HTTP/1.1", ["Host: example.org:\(gateway.port)", token], 421),
            ("GET /api/ping HTTP/1.1", [host, host, token], 400),
            ("GET api/ping HTTP/1.1", [host, token], 400), ("GET * HTTP/1.1", [host, token], 400),
            ("GET http://127.0.0.1:\(gateway.port)/api/ping HTTP/1.1", [host, token], 400),
            ("GET /api/ping HTTP/1.1", [host, token, "Transfer-Encoding: chunked"], 400),
            ("GET /api/ping HTTP/1.1", [host, token, foreign], 403), ("GET \(link) HTTP/1.1", [host, foreign], 403),
            ("GET /healthz HTTP/1.1", [host, foreign], 403), ("GET /healthz HTTP/1.1", ["Host: example.org"], 421),
            ("GET /api/ping HTTP/1.1", [host, token, "Origin: http://127.0.0.1:\(gateway.port)"], 503),
            ("GET /api/ping HTTP/1.1", [host, token, "Sec-Fetch-Site: cross-site"], 403),
            ("GET /api/ping HTTP/1.1", [host, token, "Sec-Fetch-Site: same-site"], 403),
            ("GET /api/ping HTTP/1.1", [host, token, "Sec-Fetch-Site: same-origin"], 503),
            ("GET /api/ping HTTP/1.1", [host], 401), ("GET / HTTP/1.1", [host], 401),
            ("GET /app.js HTTP/1.1", [host], 401),
            ("GET /api/ping HTTP/1.1", [host, token + "0"], 401), ("GET /live/events HTTP/1.1", [host], 401),
            ("GET /metrics HTTP/1.1", [host, "Authorization: Basic \(gateway.token)"], 401),
            ("POST /api/ping HTTP/1.1", [host], 401), ("GET /healthz HTTP/1.1", [host], 200),
            ("GET \(link) HTTP/1.1", [host], 303), ("GET / HTTP/1.1", [host, token], 200),
            ("POST /api/ping HTTP/1.1", [host, token, "Content-Length: 0"], 405),
            ("HEAD / HTTP/1.1", [host, token], 405), ("DELETE / HTTP/1.1", [host, token], 405),
            ("OPTIONS /api/ping HTTP/1.1", [host, foreign, "Access-Control-Request-Method: GET"], 403),
            ("GET / HTTP/1.1", [host, token, "Content-Length: 3"], 400),
        ] {
            let bytes = Array("\(request)\r\n\((lines + ["", ""]).joined(separator: "\r\n"))".utf8)
            let connection = try HTTPConnection(gateway.port)
            connection.send(bytes)
            let reply = try #require(
                try connection.reply(isHead: request.hasPrefix("HEAD")), "\(request) \(lines) has no answer")
            expect(reply.status == status, "\(request) \(lines): \(reply.head)")
            let head = reply.head.lowercased()
            for header in [
                "content-security-policy: default-src 'none';", "x-content-type-options: nosniff",
                "referrer-policy: no-referrer", "cross-origin-opener-policy: same-origin",
                "cross-origin-resource-policy: same-origin",
            ] { expect(head.contains("\r\n\(header)"), "\(request) \(lines) lacks \(header)") }
            expect(!head.contains("access-control-"), "another page may read \(request)")
            expect(head.contains("no-store") || head.contains("etag: "), "\(request) \(lines) is kept")
            if status >= 400, status != 503 { expect(try connection.isClosed(), "\(request) \(lines) goes on") }
        }
    }

    @Test func `no malformed request ends the gateway, reaches the store or is answered with its data`() throws {
        let daemon = try RunningDaemon()
        let written = try daemon.client().ask(#"APPEND note-1 {"type":"Wrote","data":{"text":"secret spring"}}"#)
        expect(written.hasPrefix("+"))
        let gateway = try RunningGateway(daemon.socket)
        let began = gateway.anonymousMemory
        var maker = RequestDamage(seed: Self.scale.seed, port: gateway.port, token: gateway.token)
        print("malformed requests of seed \(Self.scale.seed)")
        var statuses: [Int: Int] = [:]
        for _ in 0..<Self.scale.of(2_000, long: 100_000) {
            let (bytes, isKnown) = maker.next()
            let connection = try HTTPConnection(gateway.port)
            connection.send(bytes)
            connection.endSending()
            let reply = try connection.reply()
            statuses[reply?.status ?? 0, default: 0] += 1
            guard let reply, !isKnown else { continue }
            let shown = String(decoding: bytes, as: UTF8.self)
            expect(!reply.body.contains("secret") && !reply.body.contains("position"), "\(shown): \(reply.body)")
            expect(reply.status >= 400 || shown.contains("/healthz"), "\(shown): \(reply.head)")
        }
        print("malformed requests: \(statuses.sorted { $0.key < $1.key })")
        expect(gateway.isRunning && statuses.keys.allSatisfy { ![500, 502].contains($0) })
        expect(try gateway.get("/api/ping")?.status == 200)
        let client = try daemon.client()
        expect(try client.ask("PING") == #"+ {"position":1}"#, "something was written")
        let grown = gateway.anonymousMemory - began
        expect(grown < 32 << 20, "memory grew by \(grown) bytes")
        expect(try gateway.stop() == .code(0))
    }

    @Test func `silent connections end after 15 seconds, and keep nobody who has the token out`() throws {
        let daemon = try RunningDaemon()
        let gateway = try RunningGateway(daemon.socket)
        let ping = gateway.request("/api/ping")
        let known = try gateway.connection(asking: "/api/ping")
        expect(try known.reply()?.status == 200)
        let silent = try (0..<200).map { number in
            let connection = try HTTPConnection(gateway.port)
            if number % 2 == 0 { connection.send(Array("GET / HTTP/1.1\r\nHost: ".utf8)) }
            return connection
        }
        let began = ContinuousClock.now
        for _ in 0..<20 { expect(try gateway.get("/api/ping")?.status == 200) }
        known.send(ping)
        expect(try known.reply()?.status == 200)
        for connection in silent { expect(try connection.isClosed()) }
        expect(ContinuousClock.now - began > .seconds(10), "nobody had time")
        expect(try gateway.get("/api/ping")?.status == 200)
    }

    @Test func `readers who stand still cost no memory`() throws {
        let daemon = try RunningDaemon()
        try daemon.client().append(400, letters: 60_000)
        let gateway = try RunningGateway(daemon.socket)
        expect(try gateway.get("/api/ping")?.status == 200)
        let began = gateway.anonymousMemory
        let readers = try (0..<30).map { number in
            try gateway.connection(asking: number % 2 == 0 ? "/live/events?from=1" : "/api/read/events?limit=400")
        }
        // Answers have begun: the first bytes are there.
        for (number, reader) in readers.enumerated() where number < 20 {
            expect(try reader.read(through: "HTTP/1.1 ") != nil)
        }
        let grown = gateway.anonymousMemory - began
        expect(grown < 24 << 20, "memory grew by \(grown) bytes")
        expect(try gateway.get("/healthz")?.status == 200)
    }
}

/// Requests that are damaged in one or several ways.
private struct RequestDamage {
    private var random: SplitMix64
    private let port: UInt16
    private let token: String

    init(seed: UInt64, port: UInt16, token: String) {
        (random, self.port, self.token) = (SplitMix64(seed: seed), port, token)
    }

    private mutating func one<Value>(_ values: [Value]) -> Value { values[Int(random.next() % UInt64(values.count))] }

    /// Returns the bytes of a request, and whether it may have been let in.
    mutating func next() -> (bytes: [UInt8], isKnown: Bool) {
        let isKnown = random.next() % 4 == 0
        let method = one(["GET", "GET", "GET", "POST", "HEAD", "get", "G\u{0}T", "", "CONNECT", "PRI"])
        let target = one([
            "/", "/api/read/events", "/api/list/stories", "/live/events?from=99", "/metrics", "/healthz", "*", "api",
            "http://127.0.0.1:\(port)/api/read/events", "//api/read/events", "/api/%", "/api/read/%00", "/api/read/%FF",
            "/api/append/note-1", "/api/clients/end%201", "/api/erase/events/note-1?reason=x", "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd", "/?token=", "/?token=\(token.dropLast())", "/?token=\(token)&token=x",
            "/api/ping?\(String(repeating: "a=b&", count: Int(random.next() % 12_000)))",
        ])
        let version = one([
            "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTP", "", "HTTP/1.1 x",
        ])
        var lines = [
            one(["Host: 127.0.0.1:\(port)", "Host: localhost:\(port)", "Host: evil.example", "Host:", "X: y"])
        ]
        let others = [
            "Host: 127.0.0.1:\(port)", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "Content-Length: 5",
            "Content-Length: -1", "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked",
            "Transfer-Encoding: \u{B}chunked", "Cookie: storykeep-\(port)=",
            "Cookie: \(String(repeating: ";", count: 3_000))",
            "Authorization: Bearer", "Authorization: Bearer \(String(repeating: "0", count: 64))", ": x", "no colon",
            " folded",
            "Expect: 100-continue", "Upgrade: websocket", "Connection: Upgrade, HTTP2-Settings", "Range: bytes=0-",
            "If-None-Match: *", "Last-Event-ID: 18446744073709551615", "X: \(String(repeating: "x", count: 40_000))",
        ]
        for _ in 0..<random.next() % 4 { lines.append(one(others)) }
        if isKnown { lines.append("Authorization: Bearer \(token)") }
        let end = one(["\r\n", "\r\n", "\r\n", "\n", "\r"])
        var bytes = Array("\(method) \(target) \(version)\(end)\(lines.joined(separator: end))\(end)\(end)".utf8)
        if random.next() % 3 == 0 { bytes += Array(one(["hello", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"]).utf8) }
        for _ in 0..<random.next() % 3 where random.next() % 3 == 0 {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
        return (bytes, isKnown || target.hasPrefix("/?token=\(token)&"))
    }
}
