import Foundation
import Glibc
import StoryClient
import Synchronization
import TestSupport
import Testing

/// What the client does where the store, or what stands there, does not do what it should.
@Suite(.timeLimit(.minutes(10))) struct ReconnectTests {
    private let quick = RetryPolicy(
        limit: TestTimeout.duration, firstDelay: .milliseconds(1), maxDelay: .milliseconds(5))

    private func client(_ server: ScriptedStore, limit: Duration = TestTimeout.duration) -> StoreClient {
        var retry = quick
        retry.limit = limit
        return StoreClient(server.address, configuration: .init(retry: retry))
    }

    @Test func `what is lost in the middle of its reply is sent again, and its rows do not come twice`() async throws {
        let server = try ScriptedStore { number, store in
            store.write(ScriptedServer.greeting)
            guard let (tag, _) = store.next() else { return }
            let row = #"{"stream":"a-1","version":1,"position":1}"#
            store.write("=\(tag) \(row)\n")
            if number == 1 { return store.write("=\(tag) {\"str") }
            store.write("+\(tag) {\"count\":1,\"position\":1}\n")
        }
        #expect(try await client(server).streams().rows.count == 1)
        expect(server.requests == ["STREAMS", "STREAMS"])
    }

    @Test func `a write without a key gets one, and is sent again with the same`() async throws {
        let receipt = "{\"stream\":\"a-1\",\"version\":1,\"position\":1,\"repeated\":true}"
        let server = try ScriptedStore { number, store in
            store.write(ScriptedServer.greeting)
            guard let (tag, _) = store.next(), number > 2 else { return }
            store.write("+\(tag) \(receipt)\n")
        }
        let client = client(server)
        #expect(try await client.append(NewEvent("N", 1), to: "note-1").isRepeated)
        expect(server.requests.count == 3 && Set(server.requests).count == 1)
        expect(server.requests[0].contains(" key="))
        try await client.append(NewEvent("N", 1), to: "note-1")
        // Another write has another key.
        expect(Set(server.requests).count == 2)
    }

    @Test func `a walk through pages stays with the history of its first one`() async throws {
        let server = try ScriptedStore { number, store in
            let log = number == 1 ? "aaaa" : "bbbb"
            store.write("* {\"server\":\"stored/test\",\"protocol\":1,\"position\":9,\"log\":\"\(log)\"}\n")
            guard let (tag, _) = store.next() else { return }
            if number == 1 { return store.write("+\(tag) {\"count\":0,\"next\":5,\"position\":9}\n") }
            store.write("-\(tag) {\"code\":\"diverged\",\"message\":\"m\",\"retry\":\"never\",\"log\":\"bbbb\"}\n")
        }
        do {
            _ = try await client(server).allEvents(pageSize: 10).collected()
            Issue.record("there are two histories")
        } catch ClientError.diverged {}
        expect(server.requests == ["READ events limit=10", "READ events from=5 limit=10 log=aaaa"])
    }

    @Test func `a refusal for the moment is sent again until the time is up`() async throws {
        let count = Mutex(0)
        let server = try ScriptedStore.answering { request in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            let isOver = request == "PING" && number > 3
            return isOver ? "+ {\"position\":1}\n" : "- {\"code\":\"full\",\"message\":\"m\",\"retry\":\"later\"}\n"
        }
        #expect(try await client(server).ping() == 1)
        expect(server.requests.count == 4)
        try await expectFailure(.full(message: "m")) { limit in try await client(server, limit: limit).stats() }
        expect(server.requests.count >= 5)
    }

    /// What a write is told that was on its way when its connection was lost, and is answered with `line` ever after.
    private func afterLoss(_ line: String) throws -> ScriptedStore {
        try ScriptedStore { number, store in
            if number > 1, line.hasPrefix("* ") || line.contains("denied") { return store.write(line) }
            store.write(ScriptedServer.greeting)
            guard number > 1 else { return _ = store.next() }
            store.answer { _ in line }
        }
    }

    @Test(arguments: [
        "- {\"code\":\"denied\",\"message\":\"who?\",\"retry\":\"never\"}\n",
        "- {\"code\":\"draining\",\"message\":\"m\",\"retry\":\"later\"}\n",
        "* {\"server\":\"x\",\"protocol\":2,\"position\":0}\n",
    ])
    func `what may have been done is not told as if it had not been`(line: String) async throws {
        try await expectFailure(.connectionLost) { limit in
            let server = try afterLoss(line)
            return try await client(server, limit: limit).append(NewEvent("N", 1), to: "note-1")
        }
    }

    @Test func `what may have been done is unknown also where nobody is there any more`() async throws {
        try await expectFailure(.connectionLost) { limit in
            let server = try ScriptedStore { _, store in
                store.write(ScriptedServer.greeting)
                _ = store.next()
            }
            let client = client(server, limit: limit)
            let isOver = Mutex(false)
            let writing = Task {
                defer { isOver.withLock { $0 = true } }
                return try await client.append(NewEvent("N", 1), to: "note-1")
            }
            try await eventually("it was sent") { !server.requests.isEmpty || isOver.withLock { $0 } }
            server.stop()
            let outcome = await writing.result
            await #expect {
                try await client.ping()
            } throws: { error in
                if case ClientError.unreachable = error { true } else { false }
            }
            return try outcome.get()
        }
    }

    @Test func `a write that was refused behind a lost connection, and runs out of time, may have been done`()
        async throws
    {
        try await underGrowingLimit("it is sent in time, and that is known") { limit in
            let server = try afterLoss("- {\"code\":\"draining\",\"message\":\"m\",\"retry\":\"later\"}\n")
            do {
                try await client(server).within(limit).append(NewEvent("N", 1), to: "note-1")
                Issue.record("it is refused")
                return true
            } catch ClientError.timedOut(_, _, let wasSent) {
                return wasSent
            }
        }
    }

    @Test func `a refusal for good is not sent again`() async throws {
        let server = try ScriptedStore.answering { _ in
            "- {\"code\":\"conflict\",\"message\":\"m\",\"retry\":\"refetch\",\"expected\":1,\"actual\":2}\n"
        }
        await #expect(throws: ClientError.conflict(message: "m", expected: 1, actual: 2, stream: nil)) {
            try await client(server).stories.edit("1", StoryEdit(title: "x"), version: 1)
        }
        expect(server.requests.count == 1)
    }

    @Test func `nobody waits for a check, and a client that is closed begins none`() async throws {
        let mayEnd = Mutex(false)
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            // As the store does, which takes up nothing more of a connection that waits for long work.
            while let (tag, request) = store.next() {
                while request == "VERIFY", !mayEnd.withLock({ $0 }) { usleep(1_000) }
                store.write("+\(tag) {\"position\":\(request == "VERIFY" ? 2 : 1)}\n")
            }
        }
        let client = client(server)
        let check = Task { try await client.verify() }
        try await eventually("it was sent") { server.requests == ["VERIFY"] }
        #expect(try await client.ping() == 1)
        mayEnd.withLock { $0 = true }
        #expect(try await check.value == 2)
        await client.close()
        await #expect(throws: ClientError.closed) { try await client.verify() }
    }

    @Test func `a backup is not sent twice`() async throws {
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            _ = store.next()
        }
        await #expect(throws: ClientError.connectionLost) { try await client(server).backup(to: "/tmp/x") }
        expect(server.requests == ["BACKUP /tmp/x"])
    }

    @Test(arguments: ["+@99 {}\n", "+ {}\n", "nonsense\n", "=@x {}\n", "+@-1 {}\n"])
    func `a line that nothing waits for fails what waits, and the next request connects anew`(line: String) async throws
    {
        let server = try ScriptedStore { number, store in
            store.write(ScriptedServer.greeting)
            guard number > 1 else {
                _ = store.next()
                store.write(line)
                while store.next() != nil {}
                return
            }
            store.answer { _ in "+ {\"position\":7}\n" }
        }
        let client = client(server)
        let seen = String(line.dropLast())
        do {
            _ = try await client.ping()
            Issue.record("\(seen) is no answer")
        } catch ClientError.protocolViolation {}
        #expect(try await client.ping() == 7)
    }

    @Test func `a failure without a tag is that of the oldest request`() async throws {
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            _ = store.next()
            guard let (tag, _) = store.next() else { return }
            store.write("- {\"code\":\"tooLarge\",\"message\":\"m\",\"limit\":9}\n+\(tag) {\"position\":2}\n")
            while store.next() != nil {}
        }
        let client = client(server)
        let first = Task { try await client.ping() }
        try await eventually("it was sent") { server.requests.count == 1 }
        #expect(try await client.ping() == 2)
        await #expect(throws: ClientError.tooLarge(message: "m", limit: 9)) { try await first.value }
    }

    @Test func `a store that is full is tried again, one that denies is not`() async throws {
        let server = try ScriptedStore { number, store in
            switch number {
            case 1: store.write("- {\"code\":\"busy\",\"message\":\"m\",\"retry\":\"later\"}\n")
            case 2: store.write(ScriptedServer.greeting)
            default: store.write("- {\"code\":\"denied\",\"message\":\"who?\",\"retry\":\"never\"}\n")
            }
            while number == 2, let (tag, _) = store.next() { store.write("+\(tag) {\"position\":1}\n") }
        }
        #expect(try await client(server).ping() == 1)
        await #expect(throws: ClientError.denied(message: "who?")) { try await client(server).ping() }
        expect(server.connectionCount == 3)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n", "* {\"server\":\"x\",\"protocol\":2,\"position\":0}\n", "* []\n", "+ {}\n",
    ])
    func `another protocol is told, not tried again`(greeting: String) async throws {
        let server = try ScriptedStore { _, store in
            store.write(greeting)
            _ = store.next()
        }
        do {
            _ = try await client(server).ping()
            Issue.record("that was no greeting")
        } catch ClientError.protocolViolation(let seen) {
            expect(!seen.isEmpty && Array(greeting.utf8).contains(Array(seen.utf8)))
        }
        expect(server.connectionCount == 1)
    }

    @Test func `a store that does not greet is waited for no longer than was said`() async throws {
        let server = try ScriptedStore { _, store in _ = store.next() }
        do {
            _ = try await client(server, limit: .milliseconds(60)).ping()
            Issue.record("nobody greeted")
        } catch ClientError.unreachable(_, let reason, let after) {
            expect(reason == "it does not greet" && after >= .milliseconds(60))
        }
    }

    @Test func `a client that was closed fails what waits and all that comes`() async throws {
        let server = try ScriptedStore.answering { _ in "" }
        let client = client(server)
        let waiting = Task { try await client.ping() }
        try await eventually("it was sent") { server.requests == ["PING"] }
        await client.close()
        await #expect(throws: ClientError.closed) { try await waiting.value }
        await #expect(throws: ClientError.closed) { try await client.ping() }
        expect(server.connectionCount == 1)
    }

    @Test func `a client that nobody has any more ends its connection`() async throws {
        let isOver = Mutex(false)
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            store.answer { _ in "+ {\"position\":1}\n" }
            isOver.withLock { $0 = true }
        }
        _ = try await client(server).ping()
        try await eventually("the connection ends") { isOver.withLock { $0 } }
    }

    @Test func `a row that is not understood is told with its text, and others go on`() async throws {
        let server = try ScriptedStore.answering { request in
            request == "PING" ? "+ {\"position\":18446744073709551615}\n" : "+ {\"id\":[[[[}\n"
        }
        let client = client(server)
        await #expect(throws: ClientError.notUnderstood("{\"id\":[[[[}")) { try await client.users.get("1") }
        #expect(try await client.ping() == .max)
    }
}
