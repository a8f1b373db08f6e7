import Glibc
import StoryClient
import Synchronization
import TestSupport
import Testing

/// Calls that may take no longer than somebody said, and a store that answers later than that.
@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
    private static let short = Duration.milliseconds(100)

    /// A store that answers requests with `at=1` only once it is told to, and then first.
    private final class LateStore: Sendable {
        private let isReleased = Mutex(false)
        private let server = Mutex<ScriptedStore?>(nil)

        init() throws {
            let store = try ScriptedStore { [self] _, store in
                store.write(ScriptedServer.greeting)
                var late: [String] = []
                while let (tag, request) = store.next() {
                    guard !request.contains("late") else {
                        late.append(tag)
                        continue
                    }
                    if isReleased.withLock({ $0 }) {
                        // Late answers, rows of their own included, come before the one that is waited for.
                        for tag in late {
                            store.write(
                                "=\(tag) {\"stream\":\"late-9\",\"version\":1,\"position\":1}\n+\(tag) {\"position\":666}\n"
                            )
                        }
                        late = []
                    }
                    store.write("+\(tag) {\"position\":7}\n")
                }
            }
            server.withLock { $0 = store }
        }

        func release() { isReleased.withLock { $0 = true } }

        func client(_ limit: Duration? = nil) throws -> StoreClient {
            let address = try require(server.withLock { $0 }).address
            return StoreClient(address, configuration: .init(timeLimit: limit))
        }

        var requests: [String] { server.withLock { $0?.requests ?? [] } }
    }

    private func timedOut(_ request: String, _ limit: Duration, wasSent: Bool = true) -> ClientError {
        .timedOut(request: request, after: limit, wasSent: wasSent)
    }

    /// Expects a call to run out of time once it was sent.
    private func expectTimeOut<Reply: Sendable>(
        _ request: String, _ call: (Duration) async throws -> Reply
    ) async throws {
        try await underGrowingLimit("\(request) is sent in time") { limit in
            do {
                _ = try await call(limit)
                Issue.record("\(request) was answered")
            } catch let error as ClientError {
                if error == timedOut(request, limit, wasSent: false) { return false }
                expect(error == timedOut(request, limit))
            }
            return true
        }
    }

    @Test func `a call that runs out of time says which, and its late answer is nobody's`() async throws {
        let store = try LateStore()
        let client = try store.client()
        try await expectTimeOut("STREAMS late-1") { limit in
            try await client.within(limit).streams(.stream("late-1"))
        }
        #expect(try await client.ping() == 7)
        store.release()
        // The late answer now comes right before this one's.
        for _ in 0..<3 { #expect(try await client.ping() == 7) }
        expect(store.requests == ["STREAMS late-1", "PING", "PING", "PING", "PING"])
    }

    @Test func `a limit is for one call, others go on waiting`() async throws {
        let store = try LateStore()
        let client = try store.client()
        let patient = Task { try await client.streams(.stream("late-1")) }
        try await eventually("it was sent") { store.requests == ["STREAMS late-1"] }
        try await expectTimeOut("STREAMS late-2") { limit in
            try await client.within(limit).streams(.stream("late-2"))
        }
        store.release()
        #expect(try await client.ping() == 7)
        #expect(try await patient.value.position == 666)
    }

    @Test func `a call may have more time than the client's, or no end of it`() async throws {
        let store = try LateStore()
        let client = try store.client(TimeLimitTests.short)
        let patient = Task { try await client.within(nil).streams(.stream("late-1")) }
        try await eventually("it was sent") { store.requests == ["STREAMS late-1"] }
        try await expectTimeOut("STREAMS late-2") { limit in
            try await store.client(limit).streams(.stream("late-2"))
        }
        store.release()
        #expect(try await client.within(TestTimeout.duration).ping() == 7)
        #expect(try await patient.value.position == 666)
    }

    @Test func `what never got its turn was not sent, and is not sent later`() async throws {
        let isReleased = Mutex(false)
        let greeting = #"* {"server":"s","protocol":1,"position":0,"limits":{"line":1000,"inflight":1}}"# + "\n"
        let server = try ScriptedStore.answering(greeting: greeting) { request in
            while request == "STATS", !isReleased.withLock({ $0 }) { usleep(1_000) }
            return "+ {\"position\":7}\n"
        }
        let client = StoreClient(server.address)
        #expect(try await client.ping() == 7)
        try await expectTimeOut("STATS") { limit in try await client.within(limit).stats() }
        await #expect(throws: timedOut("HELP", TimeLimitTests.short, wasSent: false)) {
            try await client.within(TimeLimitTests.short).help()
        }
        await #expect(throws: timedOut("VERIFY", .zero, wasSent: false)) { try await client.within(.zero).verify() }
        isReleased.withLock { $0 = true }
        #expect(try await client.ping() == 7)
        expect(server.requests == ["PING", "STATS", "PING"])
    }

    @Test func `a store that is not there is waited for no longer than the limit`() async throws {
        let server = try ScriptedStore { _, store in _ = store.next() }
        let client = StoreClient(server.address, configuration: .init(timeLimit: TimeLimitTests.short))
        await #expect(throws: timedOut("PING", TimeLimitTests.short, wasSent: false)) { try await client.ping() }
    }

    @Test func `a write that ran out of time is sent again with its key, and its receipt comes`() async throws {
        let written = Mutex<Set<String>>([])
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            while let (tag, request) = store.next() {
                let isNew = written.withLock { $0.insert(request).inserted }
                // The first one is carried out, and its receipt never comes.
                guard !isNew else { continue }
                store.write("+\(tag) {\"stream\":\"note-1\",\"version\":1,\"position\":1,\"repeated\":true}\n")
            }
        }
        let client = StoreClient(server.address)
        try await expectTimeOut("APPEND note-1") { limit in
            try await client.within(limit).append(NewEvent("N", 1), to: "note-1", key: "k1")
        }
        #expect(try await client.append(NewEvent("N", 1), to: "note-1", key: "k1").isRepeated)
        expect(written.withLock { $0.count } == 1)
    }

    @Test func `the error says in words what is known`() {
        let sent = timedOut("GET stories/1", .seconds(2)).description
        expect(sent == "GET stories/1 had no answer after 2 s; whether it was carried out is unknown")
        expect(timedOut("PING", .seconds(2), wasSent: false).description.hasSuffix("it was not sent"))
        expect(timedOut("PING", .seconds(2)).retry == .same)
    }

    @Test func `a blocking connection goes on with the next request after one that ran out of time`() throws {
        let server = try ScriptedServer { server in
            server.write(ScriptedServer.greeting)
            _ = server.readLine()
            server.write("= {\"n\":1}\n")
            _ = server.readLine()
            server.write("= {\"n\":1}\n>1 {\"push\":1}\n+ {\"n\":1}\n= {\"n\":2}\n+ {\"n\":2}\n")
            while server.readLine() != nil {}
        }
        let connection = try StoreConnection(to: server.address, timeout: TestTimeout.duration)
        connection.timeout = TimeLimitTests.short
        #expect(throws: ClientError.timedOut(after: TimeLimitTests.short)) { try connection.ask("LIST stories") }
        connection.timeout = TestTimeout.duration
        let reply = try connection.ask("LIST users")
        expect(reply.rows.map(\.text) == ["{\"n\":2}"] && reply.final.text == "{\"n\":2}")
        expect(try connection.push(within: TestTimeout.duration)?.text == "{\"push\":1}")
    }
}
