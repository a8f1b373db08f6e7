import Foundation
import StoryClient
import TestSupport
import Testing

/// The client on another machine, and lists of stores.
@Suite(.timeLimit(.minutes(10))) struct RemoteStoreTests {
    private let laptop: TestAuthority.Signed
    private let identity: StoreIdentity

    init() throws {
        laptop = try TestAuthority.shared().sign("laptop")
        identity = StoreIdentity(
            certificate: laptop.certificate, certificateKey: laptop.key, authority: try TestAuthority.shared().file)
    }

    private func client(_ list: String, limit: Duration = .seconds(20)) -> StoreClient {
        StoreClient(
            StoreAddress(list, identity: identity), configuration: .init(retry: RetryPolicy(limit: limit)))
    }

    @Test func `requests, long answers and subscriptions work over TLS as over the socket`() async throws {
        let remote = try RemoteDaemon()
        let client = client(remote.url)
        #expect(try await client.ping() == 0)
        try await client.users.post(UserForm(id: "007", name: "Aya", email: "aya@example.org", prefecture: 13))
        #expect(try await client.users.get("007").name == "Aya")
        let text = String(repeating: "x", count: 50_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { _ = try await client.append(NewEvent("N", text), to: "note-\(number % 3)") }
            }
            try await group.waitForAll()
        }
        var count = 0
        for try await event in client.events(in: .category("note"), from: 1) {
            count += event.data?.text.utf8.count == text.utf8.count + 2 ? 1 : 0
            if count == 100 { break }
        }
        expect(count == 100)
        await client.close()
    }

    @Test func `a refused certificate, a wrong authority and a wrong URL are told with the reason`() async throws {
        let remote = try RemoteDaemon(trust: [])
        func error(_ list: String, _ identity: StoreIdentity) async -> String {
            let policy = RetryPolicy(limit: .seconds(TestTimeout.seconds))
            let client = StoreClient(StoreAddress(list, identity: identity), configuration: .init(retry: policy))
            do {
                return "\(try await client.ping())"
            } catch {
                return "\(error)"
            }
        }
        #expect(await error(remote.url, identity).contains(#"the certificate "laptop" stands for no user here"#))
        var wrong = identity
        let others = try TestAuthority("Others")
        wrong.authority = others.file
        #expect(await error(remote.url, wrong).contains("the peer's certificate is not accepted"))
        withExtendedLifetime(others) {}
        wrong.authority = nil
        #expect(await error(remote.url, wrong).contains("set STORED_AUTHORITY"))
        let without = StoreIdentity(authority: identity.authority)
        #expect(await error(remote.url, without).contains("demands a certificate"))
        #expect(await error("tls://127.0.0.1", identity).contains("is named as tls://HOST:PORT"))
        #expect(await error("http://127.0.0.1:1", identity).contains("is named as tls://HOST:PORT"))
        let failure = ClientError.unreachable(path: "localhost:7171", reason: "No such file or directory")
        expect("\(failure)".hasSuffix("a store on another machine is named as tls://localhost:7171"))
        #expect(throws: ClientError.unreachable(path: "tls://127.0.0.1:1", reason: "Connection refused")) {
            try StoreConnection(to: StoreAddress("tls://127.0.0.1:1", identity: identity))
        }
    }

    @Test func `of a list the first is taken that greets, and the next where it ends`() async throws {
        let (first, second) = (try RemoteDaemon(), try RunningDaemon())
        let client = client("/tmp/nobody-listens-here,\(first.url),\(second.socket)")
        try await client.append(NewEvent("N", 1), to: "note-1")
        expect(try first.daemon.client().ask("PING").number("position") == 1)
        try first.daemon.kill()
        // A query is asked again, wherever it was; a write that was on its way would not go to another history.
        #expect(try await client.ping() == 0)
        try await client.append(NewEvent("N", 2), to: "note-1")
        expect(
            try second.client().ask("PING").number("position") == 1,
            "they are not of one history, but that is not asked")
        // The first one again, since the second has ended.
        try first.daemon.start()
        let again = StoreAddress([StoreAddress(path: second.socket), StoreAddress(first.url, identity: identity)])
        try second.kill()
        #expect(try await StoreClient(again).ping() == 1)
    }

    @Test func `a store of the list that is behind what was seen is waited for`() async throws {
        let source = try RunningDaemon()
        let replica = try RunningDaemon(options: ["--follow", source.socket, "--patience", "1"])
        let client = StoreClient(
            StoreAddress([StoreAddress(path: source.socket), StoreAddress(path: replica.socket)]),
            configuration: .init(retry: RetryPolicy(limit: .seconds(2))))
        let writer = try source.client()
        expect(try writer.ask(#"APPEND note-1 {"type":"A","data":1}"#).hasPrefix("+"))
        let head = try await client.append(NewEvent("N", 2), to: "note-1").position
        try until("the replica has it") { try replica.client().ask("PING min=\(head)").hasPrefix("+") }
        // From here on the replica gets nothing more, and the source has one more, which the client sees.
        try replica.kill()
        let last = try await client.append(NewEvent("N", 3), to: "note-1").position
        try source.kill()
        try replica.start()
        // The request that was on its way as the connection ended has no certain outcome; the next one has.
        await #expect(throws: ClientError.self) { try await client.ping() }
        let error = await #expect(throws: ClientError.self) { try await client.countEvents(.stream("note-1")) }
        guard case .behind(_, let position) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expect(position == head && last == head + 1)
        // The source again: the replica catches up, and the answer is there.
        try source.start()
        try until("the replica has it") { try replica.client().ask("PING min=\(last)").hasPrefix("+") }
        #expect(try await client.ping() == last)
    }

    @Test func `calls in flight beside a write that goes to another store get their own replies`() async throws {
        let receipt = #"+ {"stream":"a-1","version":1,"position":1}"# + "\n"
        let leader = try ScriptedStore.answering { $0.hasPrefix("PING") ? "+ {\"position\":9}\n" : receipt }
        let address = leader.address.path
        let replica = try ScriptedStore { _, end in
            end.write(ScriptedServer.greeting)
            var tags: [String: String] = [:]
            while tags.count < 3, let (tag, request) = end.next() { tags[String(request.prefix { $0 != " " })] = tag }
            let refusal = #"- {"code":"notLeader","message":"m","retry":"never","address":"\#(address)"}"#
            // UNDEFINE is not sent twice: a connection that ended before its reply would lose it.
            for (verb, reply) in [("APPEND", refusal), ("PING", #"+ {"position":5}"#), ("UNDEFINE", "+ {}")] {
                end.write(StoreEnd.tagged(reply + "\n", tags[verb] ?? ""))
            }
            _ = end.next()
        }
        let client = StoreClient(StoreAddress([replica.address, leader.address]))
        async let written = client.append(NewEvent("N", 1), to: "a-1")
        async let position = client.ping()
        async let undefined: Void = client.models.undefine("m")
        #expect(try await written.position == 1)
        #expect(try await position == 5)
        try await undefined
        #expect(try await client.ping() == 9)
        await client.close()
    }

    @Test func `a write waits at a replica until its source is back`() async throws {
        let source = try RunningDaemon()
        try await source.storeClient().append(NewEvent("N", 1), to: "note-1")
        let replica = try RunningDaemon(options: ["--follow", source.socket])
        let client = client("\(source.socket),\(replica.socket)", limit: TestTimeout.duration)
        try await client.append(NewEvent("N", 2), to: "note-1")
        try until("the replica has it") { try replica.client().ask("PING min=2").hasPrefix("+") }
        try source.kill()
        #expect(try await client.countEvents(.stream("note-1")) == 2)
        let writing = Task { try await client.append(NewEvent("N", 3), to: "note-1") }
        try source.start()
        #expect(try await writing.value.position == 3)
        await client.close()
    }

    @Test(arguments: [
        ("/a,/b", ["/a", "/b"]), ("a,b", ["a,b"]), ("/a,b/c,/d", ["/a,b/c", "/d"]),
        ("tls://h:1,tls://[::1]:2,/s", ["tls://h:1", "tls://[::1]:2", "/s"]), ("x,tls://h:1", ["x", "tls://h:1"]),
    ])
    func `a list has commas before paths and URLs`(_ text: String, _ parts: [String]) {
        let address = StoreAddress(text, identity: identity)
        expect(address.description == text)
        let single = StoreAddress(parts.map { StoreAddress($0, identity: identity) })
        expect(address == single)
    }
}
