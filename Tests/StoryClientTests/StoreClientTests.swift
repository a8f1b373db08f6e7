import StoryClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct StoreClientTests {
    private static let story =
        #"{"id":"1","version":2,"position":5,"title":"Spring","message":"It came.","sender":"007","#
        + #""recipient":"008","date":"2026-11-21T02:55:07.922Z","likes":1}"#

    @Test func `a ping, a row and a write come back typed`() async throws {
        let server = try ScriptedStore.answering { request in
            switch request {
            case "PING": "+ {\"position\":5}\n"
            case "GET stories/1 at=3": "+ \(StoreClientTests.story)\n"
            default:
                "+ {\"id\":\"a6\",\"stream\":\"user-a6\",\"version\":1,\"position\":6,"
                    + "\"time\":\"2026-11-21T02:55:07.922Z\"}\n"
            }
        }
        let client = StoreClient(server.address)
        #expect(try await client.ping() == 5)
        let story = try await client.stories.get("1", at: 3)
        expect((story.title, story.likes, story.version) == ("Spring", 1, 2))
        let form = UserForm(name: "A/B\n", email: "a@b.c", prefecture: 13)
        let receipt = try await client.users.post(form, key: "k1", version: 0, meta: JSONText(["a": "b c"]))
        expect((receipt.id, receipt.position, receipt.isRepeated, receipt.isChanged) == ("a6", 6, false, true))
        let expected =
            #"POST users key=k1 version=0 meta="{\"a\":\"b c\"}" {"email":"a@b.c","name":"A/B\n","prefecture":13}"#
        expect(server.requests.last == expected)
        expect(server.connectionCount == 1)
        #expect(try await client.greeting().server == "stored/test")
    }

    @Test func `whatever an ID is made of, a request stays one line`() async throws {
        let server = try ScriptedStore.answering { _ in "- {\"code\":\"notFound\",\"message\":\"m\"}\n" }
        let client = StoreClient(server.address)
        let id = "a b\nQUIT\r\u{0}\"\\="
        await #expect(throws: ClientError.notFound(message: "m")) { try await client.stories.get(id) }
        expect(server.requests == [#"GET "stories/a b\nQUIT\r\u0000\"\\=""#])
    }

    @Test func `no more requests are on the wire than the greeting allows, and all are answered in order`() async throws
    {
        let most = Mutex(0)
        let limits = #"* {"server":"s","protocol":1,"position":0,"limits":{"line":1000,"inflight":7}}"# + "\n"
        let server = try ScriptedStore { _, store in
            store.write(limits)
            var held: [(tag: String, request: String)] = []
            for number in 1...50 {
                guard let next = store.next() else { return }
                held.append(next)
                most.withLock { $0 = max($0, held.count) }
                guard held.count == 7 || number == 50 else { continue }
                // The last few are answered together; of the others one, so that exactly one more comes.
                for _ in 0..<(number == 50 ? held.count : 1) {
                    store.write("+\(held.removeFirst().tag) {\"position\":1}\n")
                }
            }
        }
        let client = StoreClient(server.address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { _ = try? await client.stories.get("x", at: .position(UInt64(number))) }
            }
            try await group.waitForAll()
        }
        expect(most.withLock { $0 } == 7)
        expect(server.requests.count == 50)
    }

    @Test func `a request that is too long for the store is not sent`() async throws {
        let limits = #"* {"server":"s","protocol":1,"position":0,"limits":{"line":50,"inflight":7}}"# + "\n"
        let server = try ScriptedStore.answering(greeting: limits) { _ in "+ {\"position\":1}\n" }
        let client = StoreClient(server.address)
        _ = try await client.ping()
        await #expect(throws: ClientError.tooLarge(message: "the request is longer than 50 bytes", limit: 50)) {
            try await client.stories.get(String(repeating: "x", count: 50))
        }
        expect(server.requests == ["PING"])
    }
}
