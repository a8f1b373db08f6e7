import Glibc
import StoryClient
import Synchronization
import TestSupport
import Testing

/// Erasures as the client asks for them, and the events that they leave.
@Suite(.timeLimit(.minutes(10))) struct ErasureTests {
    /// Returns a client of a daemon with four events: two of an order, one of another order, and a note.
    private func filled(_ daemon: RunningDaemon) async throws -> StoreClient {
        let client = daemon.storeClient()
        let name = try JSONText(#"{"name":"Ann"}"#)
        let placed = NewEvent("Placed", json: name, meta: try JSONText(#"{"app":"web"}"#), tags: ["customer:9"])
        try await client.append(placed, to: "order-7", key: "placed-7")
        try await client.append(NewEvent("Paid", json: name), to: "order-7", key: "paid-7")
        try await client.append(placed, to: "order-8", key: "placed-8")
        try await client.append(try NewEvent("Wrote", "Ann"), to: "note-1", key: "note-1")
        return client
    }

    /// Returns the error of a call; nil where there is none.
    private func failure(_ call: () async throws -> Erasure) async throws -> ClientError? {
        do {
            _ = try await call()
            return nil
        } catch let error as ClientError {
            return error
        }
    }

    @Test func `erased events keep all but data and meta, in reads and for followers`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon)
        let erasure = try await client.erasures.erase(.stream("order-7"), reason: "asked for on 1 May")
        expect(erasure.id == "1" && erasure.stream == "erasure-1" && erasure.version == 2)
        expect((erasure.position, erasure.events, erasure.streams, erasure.labelled) == (6, 2, 1, 2))
        expect(["overwritten", "copyOnWrite"].contains(erasure.media))
        let events = try await client.read(.stream("order-7")).rows
        expect(events.map(\.data) == [nil, nil] && events.map(\.meta) == [nil, nil])
        expect(events.map(\.erased) == [5, 5] && events.map(\.position) == [1, 2])
        expect(events.map(\.type) == ["Placed", "Paid"] && events.map(\.tags) == [["customer:9"], []])
        expect(events.map(\.key) == ["placed-7", "paid-7"])
        #expect(try await client.countEvents(tags: ["customer:9"]) == 2)
        var followed: [Event] = []
        for try await event in client.events(from: 1) {
            followed.append(event)
            if event.position == 4 { break }
        }
        expect(followed.map { $0.data == nil } == [true, true, false, false])
        expect(followed.map(\.erased) == [5, 5, nil, nil])
        // The log is whole.
        #expect(try await client.verify() == 6)
    }

    @Test func `a dry run shows the streams and the sums, and erases nothing`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon)
        let check = try await client.erasures.check(.category("order"))
        expect(check.rows.map(\.stream) == ["order-7", "order-8"] && check.rows.map(\.events) == [2, 1])
        expect(check.rows.map(\.labelled) == [2, 1] && check.rows.map(\.bytes) == [41, 27])
        expect((check.events, check.streams, check.labelled, check.bytes) == (3, 2, 3, 68))
        expect(check.position == 4)
        #expect(try await client.erasures.check(.category("order"), types: ["Placed"], expecting: 2).events == 2)
        #expect(try await client.erasures.check(.stream("order-7"), from: 2).events == 1)
        #expect(try await client.allEvents().collected().map(\.erased) == [nil, nil, nil, nil])
        #expect(try await client.erasures.list().rows.isEmpty)
    }

    @Test func `an erasure is refused where another number of events is taken, or none`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon)
        let erasures = client.erasures
        let other = try await failure { try await erasures.erase(.stream("order-8"), reason: "r", expecting: 2) }
        guard case .conflict(_, expected: 2, actual: 1, stream: nil)? = other else {
            Issue.record("\(String(describing: other))")
            return
        }
        let none = try await failure { try await erasures.erase(.stream("order-9"), reason: "r") }
        expect(none?.code == .notFound)
        let unclear = try await failure { try await erasures.erase(types: ["Placed"], reason: "r") }
        guard case .invalid(_, let fields)? = unclear else {
            Issue.record("\(String(describing: unclear))")
            return
        }
        expect(fields.map(\.field) == ["tags"] && fields.map(\.rule) == [.missing])
        #expect(try await failure { try await erasures.erase(.stream("user-1"), reason: "r") }?.code == .denied)
        try await erasures.erase(.stream("order-8"), reason: "r", expecting: 1)
        let again = try await failure { try await erasures.erase(.stream("order-8"), reason: "r") }
        guard case .gone(_, erased: 5?)? = again else {
            Issue.record("\(String(describing: again))")
            return
        }
        // A larger selection takes the others.
        #expect(try await erasures.erase(tags: ["customer:9"], reason: "r").events == 1)
    }

    @Test func `a row is erased, and a user with all that the user sent, received or owns`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        for (id, name) in [("007", "Aya"), ("008", "Ben")] {
            try await client.users.post(UserForm(id: id, name: name, email: "\(name)@example.org", prefecture: 13))
        }
        for (id, sender, recipient) in [("1", "007", "008"), ("2", "008", "007")] {
            try await client.stories.post(
                StoryForm(id: id, title: "T", message: "M", sender: sender, recipient: recipient))
        }
        #expect(try await client.erasures.checkRow(.stories, "1").rows.map(\.stream) == ["story-1"])
        #expect(try await client.erasures.eraseRow(.stories, "1", reason: "r", expecting: 1).events == 1)
        let check = try await client.erasures.checkRow(.users, "007", scope: .all, labels: .drop)
        expect(check.rows.map(\.stream) == ["user-007", "story-2"] && check.labelled == 0)
        let erasure = try await client.erasures.eraseRow(.users, "007", scope: .all, labels: .drop, reason: "r")
        expect((erasure.events, erasure.streams, erasure.labelled) == (2, 2, 0))
        let listed = try await client.erasures.list().rows
        expect(listed.map(\.target) == ["stories/1", "users/007"] && listed.map(\.scope) == [nil, "all"])
        expect(listed.map(\.labels) == ["keep", "drop"])
        let gone = try await failure { try await client.erasures.eraseRow(.users, "007", reason: "r") }
        guard case .gone(_, erased: 7?)? = gone else {
            Issue.record("\(String(describing: gone))")
            return
        }
        #expect(try await client.stories.count() == 0)
    }

    @Test func `a repeated key returns the same erasure, and is not one for another`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon)
        let first = try await client.erasures.erase(.stream("order-7"), reason: "r", key: "erase-7")
        #expect(try await client.erasures.erase(.stream("order-7"), reason: "r", key: "erase-7") == first)
        #expect(try await daemon.storeClient().erasures.erase(.stream("order-7"), reason: "r", key: "erase-7") == first)
        let reused = try await failure {
            try await client.erasures.erase(.stream("order-8"), reason: "r", key: "erase-7")
        }
        expect(reused?.code == .keyReused)
        #expect(try await client.read(.stream("order-8")).rows.map(\.erased) == [nil])
    }

    @Test func `erasures are listed in their order, page by page`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon)
        try await client.erasures.erase(.stream("order-7"), reason: "first")
        try await client.erasures.erase(query: .tags("customer:9").types("Placed"), reason: "second")
        let page = try await client.erasures.list(limit: 1)
        expect(page.rows.map(\.id) == ["1"] && page.next == "1" && page.position == 8)
        let rest = try await client.erasures.list(after: page.next)
        expect(rest.rows.map(\.id) == ["2"] && rest.next == nil)
        let all = try await client.erasures.all(pageSize: 1).collected()
        expect(all == page.rows + rest.rows)
        expect(all.map(\.target) == ["events/order-7", "events"] && all.map(\.reason) == ["first", "second"])
        expect(all.map(\.position) == [5, 7] && all.map(\.done) == [6, 8] && all.map(\.events) == [2, 1])
        expect(all.map(\.labels) == ["keep", "keep"] && all.allSatisfy { $0.media != nil })
    }

    @Test func `one that lost its connection is asked for again with its key, and holds up no call`() async throws {
        let answer =
            #"{"id":"1","stream":"erasure-1","version":2,"position":6,"time":"2026-11-21T02:55:07.922Z","events":2,"#
            + #""streams":1,"bytes":68,"labelled":2,"media":"overwritten"}"#
        let asked = Mutex(0)
        let isReleased = Mutex(false)
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            while let (tag, request) = store.next() {
                guard request.hasPrefix("ERASE") else {
                    store.write("+\(tag) {\"position\":7}\n")
                    continue
                }
                let count = asked.withLock {
                    $0 += 1
                    return $0
                }
                while !isReleased.withLock({ $0 }) { usleep(1_000) }
                // The first connection ends without an answer.
                guard count > 1 else { return }
                store.write("+\(tag) \(answer)\n")
            }
        }
        let client = StoreClient(server.address)
        let erasing = Task { try await client.erasures.erase(.stream("order-7"), reason: "r") }
        try await eventually("it was sent") { asked.withLock { $0 } == 1 }
        #expect(try await client.ping() == 7)
        isReleased.withLock { $0 = true }
        #expect(try await erasing.value.bytes == 68)
        let lines = server.requests.filter { $0.hasPrefix("ERASE") }
        expect(lines.count == 2 && Set(lines).count == 1 && lines[0].contains(" key="))
    }
}
