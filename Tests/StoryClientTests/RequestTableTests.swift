import Foundation
import StoryClient
import StoryCore
import StoryWire
import TestSupport
import Testing

/// The client reaches all that the request table has: a new verb, option, kind, filter, sort, code or rule fails here
/// until the client has it too.
@Suite(.timeLimit(.minutes(10))) struct RequestTableTests {
    /// What can be seen of a request in its line.
    private struct Seen {
        let line: String
        let verb: String
        let target: String
        let options: Set<String>

        init(_ line: String) {
            self.line = line
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            verb = words[0]
            target = words.count > 1 ? words[1] : ""
            options = Set(line.matches(of: /\ ([A-Za-z]+)=/).map { String($0.output.1) })
        }

        /// The kind that the target is of: `stories` of `stories/1`.
        var kind: String { String(target.prefix { $0 != "/" }) }
    }

    /// Every request that the client can make, with all options at once.
    private func everything() async throws -> [Seen] {
        let greeting = #"* {"server":"stored/test","protocol":1,"position":0,"log":"l"}"# + "\n"
        let server = try ScriptedStore.answering(greeting: greeting) { line in
            if line.hasPrefix("WORK") {
                let event =
                    #"{"position":1,"stream":"a-1","version":1,"type":"A","time":"2026-01-01T00:00:00.000Z","by":0,"data":1}"#
                return "+ {\"subscription\":2,\"at\":0}\n>2 \(event)\n"
            }
            guard line.hasPrefix("SUBSCRIBE") else { return "+ {\"position\":1,\"count\":0}\n" }
            return "+ {\"subscription\":1,\"position\":1}\n>1 {\"caughtUp\":1}\n"
        }
        let client = StoreClient(server.address).atLeast(.position(1))
        let date = Date(timeIntervalSince1970: 0)
        try await kinds(client, date)
        try await writes(client)
        _ = try await client.read(
            .category("note"), from: 1, to: .time(date), order: .ascending, limit: 1, types: ["A"], tags: ["t", "u"],
            query: .tags("t"), log: "l")
        _ = try await client.read()
        _ = try await client.words.find(
            "spring -x", in: .category("note"), from: 1, to: .time(date), order: .ascending, limit: 1, types: ["A"],
            tags: ["t"], query: .tags("t"), log: "l")
        _ = try await client.stories.find(
            "spring", StoryFilter(sender: "1", recipient: "1", since: date, until: date), at: 1, limit: 1, after: "1")
        _ = try await client.stories.find("spring", isRanked: true)
        _ = try await client.messages.find(
            "spring",
            MessageFilter(
                sender: "1", recipient: "1", story: "1", between: .init("1", "2"), unseen: true, since: date,
                until: date))
        _ = try await client.countEvents(
            .category("note"), from: 1, to: .time(date), types: ["A"], tags: ["t"], query: .types("A"), log: "l")
        _ = try await client.streams(.stream("note-1"), after: "a-1", limit: 1)
        _ = try await client.types(of: "note", after: "A", limit: 1)
        let events = client.events(
            in: .stream("note-1"), from: 1, types: ["A", "B"], tags: ["t", "u"], query: .tags("t"), log: "l")
        for try await _ in events.pushes { break }
        try await eventually("it is unsubscribed") { server.requests.contains("UNSUBSCRIBE 1") }
        _ = try await (client.ping(), client.help("GET"), client.stats(), client.checkpoint(), client.verify())
        _ = try await (client.metrics(), client.clients(1))
        _ = try? await client.models.define("orders", "from order", key: "k")
        _ = try? await client.models.check("orders", "from order", limit: 1)
        _ = try? await client.models.undefine("orders")
        _ = try await client.models.list()
        for kind in Catalogue.standard.kinds { _ = try? await client.models.list(kind.name) }
        _ = try await client.models.misfits(of: "orders", from: 1, order: .ascending, limit: 1)
        try await erasures(client, date)
        try await workers(client)
        try await eventually("what is done is acknowledged") { server.requests.contains("ACK billing@1") }
        _ = try? await client.seal(at: 1)
        _ = try await client.backup(to: "/tmp/a b")
        await client.close()
        try await eventually("the end is said") { server.requests.contains("QUIT") }
        return server.requests.map(Seen.init)
    }

    private func kinds(_ client: StoreClient, _ date: Date) async throws {
        let users = UserFilter(prefecture: 1, email: "a@b.c", since: date, until: date)
        let stories = StoryFilter(sender: "1", recipient: "1", since: date, until: date)
        let messages = MessageFilter(
            sender: "1", recipient: "1", story: "1", between: .init("1", "2"), unseen: true, since: date, until: date)
        let photos = PhotoFilter(owner: "1", since: date, until: date)
        try await ask(client.users, users, .name, UserForm(name: "A", email: "a@b.c", prefecture: 1))
        try await ask(client.stories, stories, .title, StoryForm(title: "A", message: "m", sender: "1", recipient: "2"))
        try await ask(client.messages, messages, .date, MessageForm(text: "A", sender: "1", recipient: "2"))
        let photo = PhotoForm(owner: "1", iso: 1, exposureValue: 1, exposureDuration: "1/1")
        try await ask(client.photos, photos, .iso, photo)
    }

    private func ask<Content>(
        _ content: ContentCollection<Content>, _ filter: Content.Filter, _ sort: Content.Sort, _ form: Content.Form
    ) async throws {
        _ = try? await content.get("1", at: 1)
        _ = try await content.list(filter, sort: sort, order: .ascending, limit: 1, after: "x")
        _ = try await content.count(filter)
        _ = try await content.sorts()
        _ = try? await content.post(
            form, key: "k", version: 0, meta: JSONText("{}"), unless: [Unless(.tags("t"))], log: "l")
        for try await _ in content.live(filter) { break }
        for try await _ in content.watch("1") { break }
    }

    private func erasures(_ client: StoreClient, _ date: Date) async throws {
        _ = try? await client.erasures.erase(
            .category("note"), from: 1, to: .time(date), types: ["A"], tags: ["t", "u"], query: .tags("t"),
            log: "l", reason: "asked for", expecting: 1, key: "k")
        _ = try? await client.erasures.check(tags: ["t"], query: .types("A"), labels: .drop, expecting: 1)
        for kind in ContentKind.allCases {
            let isUser = kind == .users
            _ = try? await client.erasures.eraseRow(
                kind, "1", scope: isUser ? .all : nil, labels: .drop, reason: "asked for", expecting: 1, key: "k")
            _ = try? await client.erasures.checkRow(kind, "1", scope: isUser ? .own : nil, expecting: 1)
        }
        _ = try await client.erasures.list(after: "1", limit: 1)
    }

    private func workers(_ client: StoreClient) async throws {
        _ = try? await client.cursors.define("billing", CursorSettings(.category("a")), key: "k", version: 1)
        _ = try await client.cursors.list("billing")
        _ = try await client.cursors.parked("billing", after: "1", limit: 1)
        _ = try? await client.cursors.retry("billing", event: 1)
        _ = try? await client.cursors.discard("billing", event: 1, reason: "r")
        _ = try? await client.cursors.reset("billing", to: .end)
        _ = try? await client.cursors.drop("billing")
        for try await job in client.cursors.worker("billing", confirming: true) {
            let event = try NewEvent("A", 1)
            _ = try? await job.append([event], to: "note-1", version: 1, unless: [Unless(.tags("t"))], log: "l")
            try await job.fail("e", after: .zero)
            try await job.park("e")
            try await job.done()
            break
        }
    }

    /// The answers are no receipts, which does not matter here.
    private func writes(_ client: StoreClient) async throws {
        let meta = try JSONText("{}")
        let unless = [Unless(.tags("t")), Unless(.types("A") || .events(.category("b")), after: 1)]
        _ = try? await client.users.edit(
            "1", UserEdit(name: "A"), key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.stories.edit(
            "1", StoryEdit(title: "A"), key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.photos.edit(
            "1", PhotoEdit(exposureValue: 1), key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.stories.delete("1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.messages.delete("1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.photos.delete("1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.stories.like("1", by: "1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.stories.unlike("1", by: "1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        _ = try? await client.messages.see("1", key: "k", version: 1, meta: meta, unless: unless, log: "l")
        let event = NewEvent("A", json: meta, meta: meta, tags: ["t"])
        _ = try? await client.append(event, to: "note-1", key: "k", version: 1, unless: unless, log: "l")
        _ = try? await client.append([event], to: "note-1", key: "k", version: 1, unless: unless, log: "l")
        _ = try? await client.append(
            [StreamEvent("note-1", version: 0, event)], key: "k", checking: ["a-1": 1], unless: unless, log: "l")
    }

    @Test func `every verb, kind, option and filter is reached`() async throws {
        let seen = try await everything()
        // Replicas alone send the first two of the others, people the third one, and nodes the last.
        for shape in RequestTable.standard.shapes
        where ![.follow(.send), .operate(.seal), .operate(.cluster), .operate(.passOn)].contains(shape.verb) {
            let verb = shape.verb.name
            let lines = seen.filter { $0.verb == verb }
            expect(!lines.isEmpty, "the client never sends \(verb)")
            // The jobs of a worker append events of the user's own.
            // A worker names its share after a lost connection alone: WorkerTests.
            for option in shape.options where option != .share && (option != .cursor || shape.verb == .write(.append)) {
                expect(lines.contains { $0.options.contains(option.name) }, "\(verb) lacks \(option.name)=")
            }
            for kind in shape.kinds {
                let own = lines.filter { $0.kind == kind.name }
                expect(!own.isEmpty, "\(verb) lacks \(kind.name)")
                for filter in kind.filters where shape.takesFilters {
                    let has = own.contains { $0.options.contains(filter.name) }
                    expect(has, "\(verb) \(kind.name) lacks \(filter.name)=")
                }
            }
        }
    }

    @Test func `every request that the client makes is one to the store's own parser`() async throws {
        let reader = RequestReader(lineLimit: 1_048_576, .standard)
        for seen in try await everything() {
            let bytes = Array(seen.line.utf8) + [UInt8](repeating: 0, count: LineFramer.slack)
            bytes.withUnsafeBytes { bytes in
                do throws(RefusedLine) {
                    _ = try reader.read(UnsafeRawBufferPointer(rebasing: bytes[..<seen.line.utf8.count]))
                } catch {
                    Issue.record("\(seen.line): \(error.failure)")
                }
            }
        }
    }

    @Test func `sorts and fields of forms are those of the store`() throws {
        let sorts = Catalogue.standard.kinds.map { $0.sorts.map(\.name) }
        expect(sorts == [names(UserSort.self), names(StorySort.self), names(MessageSort.self), names(PhotoSort.self)])
        expect(names(UserForm.Field.self) == names(SignUpForm.FieldID.self))
        expect(names(StoryForm.Field.self) == names(PostStoryForm.FieldID.self))
        expect(names(MessageForm.Field.self) == names(SendMessageForm.FieldID.self))
        expect(names(PhotoForm.Field.self) == names(AddPhotoForm.FieldID.self))
        expect(names(UserEdit.Field.self) == names(ReviseUserForm.FieldID.self))
        expect(names(StoryEdit.Field.self) == names(ReviseStoryForm.FieldID.self))
        expect(names(PhotoEdit.Field.self) == names(RevisePhotoForm.FieldID.self))
        expect(names(StoryClient.LikeForm.Field.self) == names(StoryCore.LikeForm.FieldID.self))
        expect(names(StoryClient.LikeForm.Field.self) == names(UnlikeForm.FieldID.self))
    }

    private func names<Names: CaseIterable & RawRepresentable<String>>(_ type: Names.Type) -> [String] {
        type.allCases.map(\.rawValue)
    }

    @Test func `every code and rule of the store is one of the client's`() throws {
        for code in ErrorCode.allCases {
            let json =
                #"{"code":"\#(code.rawValue)","message":"m","retry":"\#(code.retry.rawValue)","expected":1,"actual":2,"#
                + #""position":3,"log":"l"}"#
            let error = ClientError(Refusal(json: Array(json.utf8)))
            if case .other = error { Issue.record("\(code) is not known") }
            expect(error.retry.rawValue == code.retry.rawValue)
            expect(error.description == "m")
        }
        expect(StoryClient.FieldRule.known.map(\.name) == StoryCore.FieldRule.allCases.map(\.rawValue))
    }

    @Test func `every member of every refusal arrives`() {
        let cases: [(String, ClientError)] = [
            (#""code":"syntax","column":4"#, .syntax(message: "m", column: 4)),
            (#""code":"unknown","name":"a","nearest":"b""#, .unknown(message: "m", name: "a", nearest: "b")),
            (#""code":"exists","field":"email""#, .exists(message: "m", field: "email")),
            (#""code":"gone","erased":9"#, .gone(message: "m", erased: 9)),
            (
                #""code":"conflict","expected":1,"actual":2,"stream":"a-1""#,
                .conflict(message: "m", expected: 1, actual: 2, stream: "a-1")
            ),
            (
                #""code":"conflict","unless":2,"after":3,"position":4,"stream":"a-1","type":"A""#,
                .conflictingEvent(
                    message: "m", ConflictingEvent(unless: 2, after: 3, position: 4, stream: "a-1", type: "A"))
            ),
            (#""code":"keyReused","position":5"#, .keyReused(message: "m", position: 5)),
            (#""code":"behind","position":6"#, .behind(message: "m", position: 6)),
            (#""code":"notLeader","address":"/s""#, .notLeader(message: "m", address: "/s")),
            (#""code":"unavailable","outcome":"none""#, .unavailable(message: "m", mayBeWritten: false)),
            (#""code":"unavailable","outcome":"unknown""#, .unavailable(message: "m", mayBeWritten: true)),
            (#""code":"tooLarge","limit":6"#, .tooLarge(message: "m", limit: 6)),
            (#""code":"diverged","log":"l","position":7"#, .diverged(message: "m", log: "l", position: 7)),
            (
                #""code":"internal","damaged":true,"position":8"#,
                .internal(message: "m", isDamaged: true, position: 8)
            ),
        ]
        for (members, expected) in cases {
            expect(ClientError(Refusal(json: Array(#"{"message":"m",\#(members)}"#.utf8))) == expected)
        }
        let odd = Refusal(json: Array(#"{"code":"full","message":"m","position":"x","fields":1,"log":[]}"#.utf8))
        expect(ClientError(odd) == .full(message: "m"))
        let new = Refusal(json: Array(#"{"code":"new","message":"m","retry":"later"}"#.utf8))
        expect(ClientError(new) == .other(new) && ClientError(new).retry == .later)
    }
}
