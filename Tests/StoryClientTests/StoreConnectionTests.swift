import Glibc
import StoryClient
import TestSupport
import Testing

@Suite struct StoreConnectionTests {
    @Test func `a request is answered with its rows and what closed them`() throws {
        let server = try ScriptedServer.answering { "= {\"of\":\"\($0)\"}\n= {}\n+ {\"count\":2}\n" }
        let connection = try StoreConnection(to: server.address)
        let reply = try connection.ask("LIST stories")
        expect(reply.rows.map(\.text) == ["{\"of\":\"LIST stories\"}", "{}"])
        expect(reply.final.text == "{\"count\":2}")
        expect(reply.isDone && reply.refusal == nil)
        expect(String(decoding: connection.greeting, as: UTF8.self).contains("stored/test"))
    }

    @Test func `a refusal carries its code and every field`() throws {
        let server = try ScriptedServer.answering { _ in
            "- {\"code\":\"invalid\",\"message\":\"2 fields are wrong\",\"retry\":\"never\",\"fields\":"
                + "[{\"field\":\"title\",\"rule\":\"empty\",\"message\":\"no title\"}]}\n"
        }
        let refusal = try StoreConnection(to: server.address).ask("POST stories {}").refusal
        expect(refusal?.code == .invalid)
        expect(refusal?.fields?.map(\.rule) == ["empty"])
        expect(refusal?.retry == "never")
    }

    @Test func `pushes are kept apart from the replies they come before`() throws {
        let server = try ScriptedServer.answering { _ in ">1 {\"n\":1}\n>1 {\"n\":2}\n= {}\n+ {}\n>1 {\"n\":3}\n" }
        let connection = try StoreConnection(to: server.address)
        expect(try connection.ask("PING").rows.count == 1)
        let texts = try (1...3).map { _ in try connection.push(within: TestTimeout.duration)?.text }
        expect(texts == ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"])
    }

    @Test func `nobody at the path is an error that names it`() {
        #expect {
            try StoreConnection(to: StoreAddress(path: "/tmp/nobody-listens-here"))
        } throws: { error in
            guard case .unreachable("/tmp/nobody-listens-here", _, .zero) = error as? ClientError else { return false }
            return true
        }
        let long = String(repeating: "x", count: 108)
        #expect(throws: (any Error).self) { try StoreConnection(to: StoreAddress(path: long)) }
    }

    @Test func `a server that says nothing is not waited for any longer`() throws {
        let server = try ScriptedServer { server in _ = server.readLine() }
        #expect(throws: ClientError.timedOut(after: .milliseconds(50), wasSent: false)) {
            try StoreConnection(to: server.address, timeout: .milliseconds(50))
        }
    }

    @Test func `an end in the middle of a reply is told as one`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting)
            _ = server.readLine()
            server.write("= {}\n= {")
        }
        let connection = try StoreConnection(to: server.address)
        #expect(throws: ClientError.connectionLost) { try connection.ask("LIST users") }
    }

    @Test func `what the server said before it hung up is read although sending fails`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting + "- {\"code\":\"draining\",\"message\":\"later\"}\n")
        }
        let connection = try StoreConnection(to: server.address)
        usleep(50_000)
        expect(try connection.ask("PING").refusal?.code == .draining)
    }

    @Test func `another protocol is recognised`() throws {
        let server = try ScriptedServer { $0.write("HTTP/1.1 400 Bad Request\r\n") }
        #expect(throws: ClientError.protocolViolation("HTTP/1.1 400 Bad Request\r")) {
            try StoreConnection(to: server.address)
        }
    }

    @Test func `a refusal in place of the greeting says why there is no connection`() throws {
        let server = try ScriptedServer { $0.write("- {\"code\":\"busy\",\"message\":\"1024 are connected\"}\n") }
        #expect(throws: ClientError.busy(message: "1024 are connected")) { try StoreConnection(to: server.address) }
    }

    @Test func `for writes a replica is taken only where no other store greets, and a node as any store`() throws {
        func server(_ cluster: String) throws -> ScriptedServer {
            try ScriptedServer { server in
                server.write(#"* {"server":"stored/test","protocol":1,"position":0,"cluster":\#(cluster)}"# + "\n")
                _ = server.readLine()
            }
        }
        let (replica, node) = (try server(#"{"source":"tls://a:1"}"#), try server(#"{"node":"a","leader":"b"}"#))
        func place(_ servers: [ScriptedServer], writes: Bool) throws -> StoreAddress {
            try StoreConnection(
                to: StoreAddress(servers.map(\.address)), timeout: TestTimeout.duration, interruption: -1, waits: true,
                writes: writes
            ).place
        }
        expect(try place([replica, node], writes: false) == replica.address)
        let others = (try server(#"{"source":"tls://a:1"}"#), try server(#"{"source":"tls://b:1"}"#))
        expect(try place([others.0, node], writes: true) == node.address)
        expect(try place([others.1], writes: true) == others.1.address)
    }

    @Test func `a wait is interrupted through its descriptor`() throws {
        let server = try ScriptedServer.answering { _ in "" }
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { close(ends[0]) }
        let connection = try StoreConnection(to: server.address, interruption: ends[0])
        close(ends[1])
        #expect(throws: ClientError.interrupted) { try connection.ask("PING") }
    }

    @Test func `a long reply arrives whole`() throws {
        let row = "= {\"x\":\"" + String(repeating: "y", count: 1_000_000) + "\"}\n"
        let server = try ScriptedServer.answering { _ in row + row + row + "+ {}\n" }
        let reply = try StoreConnection(to: server.address).ask("LIST stories")
        expect(reply.rows.map(\.json.count) == [1_000_008, 1_000_008, 1_000_008])
    }
}
