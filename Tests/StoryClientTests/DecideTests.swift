import StoryClient
import TestSupport
import Testing

/// `decide`, queries and preconditions of the client.
@Suite(.timeLimit(.minutes(5))) struct DecideTests {
    private struct SoldOut: Error {}

    private static let stock = EventQuery.tags("item:kettle").types("Stocked", "Reserved")

    private static func left(_ events: [Event]) -> Int {
        events.reduce(0) { $0 + ($1.type == "Stocked" ? $1.data.flatMap { Int($0.text) } ?? 0 : -1) }
    }

    private static func reserve(_ client: StoreClient, _ order: String, atMost limit: Int = 10) async throws
        -> [Receipt]
    {
        try await client.decide(stock, key: "reserve-\(order)", atMost: limit) { events in
            guard left(events) > 0 else { throw SoldOut() }
            let event = try NewEvent("Reserved", 1, tags: ["item:kettle", "order:\(order)"])
            return [StreamEvent("order-\(order)", event)]
        }
    }

    @Test func `sixteen programs reserve what there is, and no more`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await client.append(try NewEvent("Stocked", 10, tags: ["item:kettle"]), to: "item-kettle")
        // Events of other items are no conflict.
        try await client.append(try NewEvent("Stocked", 10, tags: ["item:mug"]), to: "item-mug")
        let ends = await withTaskGroup(of: Result<[Receipt], any Error>.self) { group in
            for number in 0..<16 {
                let own = daemon.storeClient()
                group.addTask {
                    do {
                        return .success(try await Self.reserve(own, "o\(number)", atMost: 100))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let receipts = ends.compactMap { try? $0.get() }
        expect(receipts.count == 10)
        for end in ends { if case .failure(let error) = end { expect(error is SoldOut, "\(error)") } }
        #expect(try await client.countEvents(query: Self.stock) == 11)
        let events = try await client.allEvents(query: Self.stock, pageSize: 3).collected()
        expect(Self.left(events) == 0)
        // The same decision again gets its first receipt.
        let again = try await client.decide(.tags("nothing"), key: "reserve-\(receipts[0][0].stream.dropFirst(6))") {
            _ in
            let order = receipts[0][0].stream.dropFirst(6)
            let event = try NewEvent("Reserved", 1, tags: ["item:kettle", "order:\(order)"])
            return [StreamEvent("order-\(order)", event)]
        }
        expect(again.map(\.isRepeated) == [true])
    }

    @Test func `what comes meanwhile is read on, page by page, and the decisions have an end`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let events = try (0..<2_500).map { try NewEvent("N", $0, tags: ["t"]) }
        for start in stride(from: 0, to: 2_500, by: 500) {
            try await client.append(Array(events[start..<start + 500]), to: "note-1")
        }
        var seen: [Int] = []
        let receipts = try await client.decide(.tags("t") || .events(.stream("other-1"))) { events in
            seen.append(events.count)
            if seen.count < 3 { try await client.append(try NewEvent("N", 0, tags: ["t"]), to: "note-1") }
            return [StreamEvent("note-2", try NewEvent("Counted", events.count))]
        }
        expect(seen == [2_500, 2_501, 2_502] && receipts.map(\.stream) == ["note-2"])
        var tries = 0
        await #expect {
            try await client.decide(.tags("t"), atMost: 4) { _ in
                tries += 1
                try await client.append(try NewEvent("N", 0, tags: ["t"]), to: "note-1")
                return [StreamEvent("note-2", try NewEvent("Counted", 1))]
            }
        } throws: { error in
            guard case ClientError.conflictingEvent(_, let event) = error else { return false }
            return event.unless == 0 && event.position == event.after + 1 && event.stream == "note-1"
                && event.type == "N"
        }
        expect(tries == 4)
        #expect(try await client.decide(.tags("t")) { _ in [] }.isEmpty)
    }

    @Test func `a write of content, one of a stream and checks have preconditions`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await client.append(try NewEvent("Closed", 1, tags: ["shop"]), to: "shop-1")
        let closed = [Unless(.tags("shop").types("Closed"))]
        let user = UserForm(name: "Aya", email: "aya@example.org", prefecture: 13)
        await #expect(throws: ClientError.self) { try await client.users.post(user, unless: closed) }
        #expect(try await client.users.count() == 0)
        try await client.users.post(user, unless: [Unless(.tags("shop").types("Closed"), after: 1)])
        await #expect(throws: ClientError.self) {
            try await client.append(try NewEvent("A", 1), to: "a-1", unless: closed)
        }
        await #expect(
            throws: ClientError.conflict(
                message: "shop-1 is at version 1, not 2", expected: 2, actual: 1, stream: "shop-1")
        ) {
            try await client.append([StreamEvent("a-1", try NewEvent("A", 1))], checking: ["shop-1": 2])
        }
        let receipts = try await client.append([StreamEvent("a-1", try NewEvent("A", 1))], checking: ["shop-1": 1])
        expect(receipts.map(\.stream) == ["a-1"])
        await #expect(throws: ClientError.self) {
            try await client.append(try NewEvent("A", 1), to: "a-1", unless: [Unless(.tags("x"))], log: "another")
        }
    }

    @Test func `a query is the JSON of its items`() {
        expect(
            (EventQuery.tags("a", "b").types("A") || .events(.category("order")).tags("c")).description
                == #"{"any":[{"tags":["a","b"],"types":["A"]},{"tags":["c"],"stream":"order-*"}]}"#)
        expect(EventQuery.events(.stream("order-1")).description == #"{"stream":"order-1"}"#)
    }
}
