import Foundation
import StoryClient
import TestSupport
import Testing

extension RunningDaemon {
    /// A client of this daemon.
    func storeClient(retry: RetryPolicy = RetryPolicy()) -> StoreClient {
        StoreClient(StoreAddress(path: socket), configuration: .init(retry: retry))
    }
}

/// The client and the real daemon.
@Suite(.timeLimit(.minutes(10))) struct DaemonTests {
    @Test func `a thousand calls at once are all answered, over one connection`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let positions = try await withThrowingTaskGroup(of: UInt64.self) { group in
            for number in 0..<1_000 {
                group.addTask { try await client.append(NewEvent("N", number), to: "note-\(number % 10)").position }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(positions.sorted() == Array(1...1_000))
        let stats = try await client.stats()
        // The client's, and no other one.
        expect(stats.connections == .integer(1))
        expect(stats.verbs?.APPEND?.count?.integerValue == 1_000)
    }

    @Test func `content is posted, asked for, listed, counted, revised and deleted`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await client.users.post(UserForm(id: "007", name: "Aya", email: "aya@example.org", prefecture: 13))
        try await client.users.post(UserForm(id: "008", name: "Ben", email: "ben@example.org", prefecture: 27))
        for number in 1...25 {
            let form = StoryForm(id: "s\(number)", title: "T\(number)", message: "x", sender: "007", recipient: "008")
            try await client.stories.post(form)
        }
        try await client.stories.like("s7", by: "008")
        let best = try await client.stories.list(.init(sender: "007"), sort: .likes, order: .descending, limit: 3)
        expect(best.rows.first?.id == "s7" && best.rows.count == 3 && best.next != nil)
        let all = try await client.stories.all(sort: .date, order: .ascending, pageSize: 4).collected()
        expect(all.map(\.id) == (1...25).map { "s\($0)" })
        #expect(try await client.stories.count(.init(recipient: "008")) == 25)
        #expect(try await client.stories.count(.init(recipient: "007")) == 0)
        let edited = try await client.stories.edit("s1", StoryEdit(title: "New"), version: 1)
        #expect(try await client.stories.get("s1").title == "New")
        #expect(try await client.stories.get("s1", at: .position(edited.position - 1)).title == "T1")
        #expect(try await client.stories.sorts().map(\.sort) == StorySort.allCases.map(\.rawValue))
        #expect(try await client.stories.like("s7", by: "008").isChanged == false)
        try await client.stories.delete("s7")
        await #expect(throws: ClientError.gone(message: "stories/s7 was deleted; its history can be read")) {
            try await client.stories.get("s7")
        }
        await #expect(throws: ClientError.self) { try await client.stories.edit("s1", .init(title: "x"), version: 1) }
    }

    @Test func `events are appended with their JSON byte for byte, and read in pages`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let raw = try JSONText(#"{"b": [1, 2],  "a":"é\n"}"#)
        let event = NewEvent("Wrote", json: raw, meta: try JSONText(["app": "x"]), tags: ["from:me"])
        let first = try await client.append([event, try NewEvent("Read", 1.5)], to: "note-1", version: 0)
        expect((first.version, first.id) == (2, nil))
        let both = try await client.append([
            StreamEvent("note-1", version: 2, event), StreamEvent("task-1", version: 0, event),
        ])
        expect(both.map(\.stream) == ["note-1", "task-1"])
        let page = try await client.read(.stream("note-1"), from: 2, limit: 1)
        expect(page.rows.map(\.type) == ["Read"] && page.nextPoint == 3)
        let events = try await client.allEvents(order: .descending, pageSize: 1).collected()
        expect(events.map(\.position) == [4, 3, 2, 1])
        expect(
            events.last?.data == raw && events.last?.tags == ["from:me"] && events.last?.meta?.text == #"{"app":"x"}"#)
        #expect(try await client.allStreams(pageSize: 1).collected().map(\.version) == [3, 1])
        #expect(try await client.streams(.category("task")).rows.map(\.position) == [4])
    }

    @Test func `one cancelled among many leaves the others alone`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        _ = try await client.ping()
        // The daemon stands still, so that all of them wait.
        try daemon.pause()
        let tasks = (0..<300).map { number in
            Task { try await client.append(NewEvent("N", number), to: "note-1", key: "k\(number)") }
        }
        try await Task.sleep(for: .milliseconds(50))
        for number in [0, 150, 299] { tasks[number].cancel() }
        for number in [0, 150, 299] {
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        try daemon.resume()
        for (number, task) in tasks.enumerated() where ![0, 150, 299].contains(number) {
            #expect(try await task.value.stream == "note-1")
        }
        // One that was not on the wire when it was cancelled was not done.
        let keys = try await client.allEvents().collected().compactMap(\.key)
        expect(!keys.contains("k299") && keys.count >= 297)
    }

    @Test func `every wrong field comes back as a field of the form`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let form = PhotoForm(
            id: "a b", owner: "x", iso: 0, focalLength: 0, exposureValue: 30, lensAperture: -1, exposureDuration: "1")
        let error: InvalidForm<PhotoForm.Field> = try #require(
            await invalid { try await client.photos.post(form, version: 1) })
        let told = error.fields.map { wrong in
            // A field that the form gets later does not compile until it is handled here.
            switch wrong.field {
            case .id, .owner, .iso, .focalLength, .exposureValue, .lensAperture, .exposureDuration, .flash, .date:
                "\(wrong.field) \(wrong.rule.name)"
            }
        }
        let expected = [
            "id malformed", "owner noSuch", "iso outOfRange", "focalLength outOfRange", "exposureValue outOfRange",
            "lensAperture outOfRange", "exposureDuration malformed",
        ]
        expect(told == expected)
        expect(error.options.isEmpty)
    }

    @Test func `a wrong option of a write is told beside the fields`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let form = UserForm(name: "", email: "a@b.c", prefecture: 1)
        let error: InvalidForm<UserForm.Field> = try #require(
            await invalid { try await client.users.post(form, key: "no key") })
        expect(error.fields.isEmpty && error.options.map(\.field) == ["key"], "\(error)")
        let like: InvalidForm<LikeForm.Field> = try #require(
            await invalid { try await client.stories.like("1", by: "no ID", meta: JSONText("1")) })
        expect(like.options.map(\.field) == ["meta"], "\(like)")
    }

    /// What a form was refused with; nil where it was not.
    private func invalid<Field: FormField>(_ write: () async throws -> Receipt) async throws -> InvalidForm<Field>? {
        do {
            _ = try await write()
            return nil
        } catch let error as InvalidForm<Field> {
            return error
        }
    }

    @Test func `another user's socket path, or none, is told after the time that was given`() async throws {
        let retry = RetryPolicy(limit: .milliseconds(80))
        let client = StoreClient(StoreAddress(path: "/tmp/nobody-listens-here"), configuration: .init(retry: retry))
        do {
            _ = try await client.ping()
            Issue.record("nobody is there")
        } catch let error as ClientError {
            guard case .unreachable("/tmp/nobody-listens-here", _, let after) = error else { throw error }
            expect(after >= .milliseconds(80))
        }
    }
}
