import Foundation
import TestSupport
import Testing

/// A store over HTTP: its answers, live streams, and clients that mean no good.
@Suite(.timeLimit(.minutes(3))) struct GatewayScenarioTests {
    private static func body(_ gateway: RunningGateway, _ target: String, status: Int = 200) throws -> String {
        let reply = try #require(try gateway.get(target), "\(target) has no answer")
        expect(reply.status == status, "\(target): \(reply.head) \(reply.body)")
        return reply.body
    }

    @Test func `answers have the bytes of the store, and errors its object with a status`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try client.expect(#"APPEND note-1 {"type":"Wrote","data":{"text":"Spring","n":12345678901234567890.10e2}}"#)
        let gateway = try RunningGateway(daemon.socket)
        let rows = try client.rows("READ events").map { $0.dropFirst(2) }.joined(separator: ",")
        let answer = try Self.body(gateway, "/api/read/events")
        expect(answer == "{\"rows\":[\(rows)],\"reply\":{\"count\":1,\"position\":1}}\n")
        expect(answer.contains("12345678901234567890.10e2"))
        expect(try Self.body(gateway, "/api/ping") == "{\"rows\":[],\"reply\":{\"position\":1}}\n")
        expect(try Self.body(gateway, "/api/greeting").hasPrefix(#"{"rows":[],"reply":{"server":"stored/"#))
        expect(try Self.body(gateway, "/api/find/events?words=spring").contains("\"count\":1"))
        for (target, status, code) in [
            ("/api/get/stories/nix", 404, "notFound"), ("/api/list/nix", 400, "unknown"),
            ("/api/list/stories?limit=0", 422, "invalid"), ("/api/post/users", 400, "syntax"),
            ("/api/get/stories/a%0A", 400, "syntax"), ("/live/nix", 400, "unknown"),
            ("/live/events?from=9", 422, "invalid"), ("/live/events?from=1&log=00", 409, "diverged"),
        ] {
            let body = try Self.body(gateway, target, status: status)
            expect(body.hasPrefix("{\"code\":\"\(code)\""), "\(target): \(body)")
        }
        expect(try Self.body(gateway, "/metrics").hasSuffix("# EOF\n"))
        expect(try Self.body(gateway, "/nothing", status: 404).contains("/nothing"))
        let page = try #require(try gateway.get("/"))
        let tag = try #require(page.head.firstMatch(of: /ETag: (".*")\r\n/)?.1)
        let host = "Host: 127.0.0.1:\(gateway.port)"
        let known = try gateway.get(
            "/", headers: [host, "Authorization: Bearer \(gateway.token)", "If-None-Match: \(tag)"])
        expect(known?.status == 304)
        expect(try gateway.stop() == .code(0))
    }

    @Test func `a long answer is streamed, and one connection asks all questions`() throws {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        try client.append(300, letters: 900)
        let gateway = try RunningGateway(daemon.socket)
        let long = try #require(try gateway.get("/api/read/events?limit=1000"))
        expect(long.head.contains("chunked") && long.body.count { $0 == "z" } == 270_000)
        let connection = try HTTPConnection(gateway.port)
        for _ in 0..<50 {
            connection.send(gateway.request("/api/ping"))
            expect(try connection.reply()?.status == 200)
        }
        expect(try client.rows("CLIENTS").count == 2)
    }

    @Test func `a live stream goes on without a gap when the daemon was killed under it`() throws {
        let daemon = try RunningDaemon()
        let gateway = try RunningGateway(daemon.socket)
        let stream = try gateway.connection(asking: "/live/events?from=1")
        expect(
            try stream.read(through: "event: caughtUp\nid: 0\ndata: {\"caughtUp\":0}\n\n")?.contains(
                "text/event-stream") == true)
        for round in 1...3 {
            try daemon.client().expect(#"APPEND note-1 {"type":"Wrote","data":\#(round)}"#)
            expect(
                try stream.read(through: "\"data\":\(round)}\n\n")?.contains(
                    "id: \(round)\ndata: {\"position\":\(round),") == true)
            try daemon.kill()
            expect(try stream.read(through: "event: lost\ndata: {}\n\n") != nil)
            try daemon.start()
            expect(try stream.read(through: "event: caughtUp\nid: \(round)\n") != nil)
        }
        expect(try daemon.client().rows("CLIENTS").count == 2)
        stream.hangUp()
        try until("the subscription of a reader that is gone ends") { try daemon.client().rows("CLIENTS").count == 1 }
    }

    @Test func `rows are followed, and come again when the daemon was away`() throws {
        let daemon = try RunningDaemon()
        try daemon.client().expect(#"POST users {"id":"a","name":"Aya","email":"a@example.org","prefecture":1}"#)
        let gateway = try RunningGateway(daemon.socket)
        let headers = ["Host: localhost:\(gateway.port)", "Cookie: storykeep-\(gateway.port)=\(gateway.token)"]
        let stream = try gateway.connection(asking: "/live/users/a", headers: headers)
        expect(
            try stream.read(through: "event: caughtUp")?.contains("id: 1\ndata: {\"position\":1,\"row\":{\"id\":\"a\"")
                == true)
        _ = try daemon.stop()
        expect(try stream.read(through: "event: lost\ndata: {}\n\n") != nil)
        try daemon.start()
        expect(try stream.read(through: "event: again") != nil)
        expect(try stream.read(through: "event: caughtUp")?.contains("\"name\":\"Aya\"") == true)
    }

    @Test func `a store that is away is unavailable, and found when it comes`() throws {
        let daemon = try RunningDaemon(isStarted: false)
        let gateway = try RunningGateway(daemon.socket)
        for target in ["/api/ping", "/live/events", "/metrics"] {
            let reply = try #require(try gateway.get(target))
            expect(reply.status == 503 && reply.head.contains("Retry-After: 1"), "\(target)")
            expect(reply.body.hasPrefix(#"{"code":"unavailable","message":"cannot connect to "#))
        }
        expect(try Self.body(gateway, "/healthz") == "ok\n")
        try daemon.start()
        for _ in 0..<3 {
            expect(try Self.body(gateway, "/api/ping").contains("position"))
            try daemon.kill()
            try daemon.start()
        }
        // The connection that is kept has ended with the daemon.
        expect(try Self.body(gateway, "/metrics").hasSuffix("# EOF\n"))
    }
}

extension LineSocket {
    /// Appends events at once, each with a text of so many letters.
    func append(_ count: Int, letters: Int) throws {
        let text = String(repeating: "z", count: letters)
        for _ in 0..<count { send(#"APPEND note-1 {"type":"Wrote","data":{"text":"\#(text)"}}"#) }
        for _ in 0..<count { _ = try final() }
    }
}
