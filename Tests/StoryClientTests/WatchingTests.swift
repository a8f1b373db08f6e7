import StoryClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WatchingTests {
    /// A daemon with two users and a story of theirs.
    private func daemon() async throws -> (RunningDaemon, StoreClient) {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        for id in ["007", "008"] {
            try await client.users.post(UserForm(id: id, name: "N", email: "\(id)@example.org", prefecture: 1))
        }
        try await client.stories.post(story("1"))
        return (daemon, client)
    }

    private func story(_ id: String) -> StoryForm {
        StoryForm(id: id, title: "T", message: "m", sender: "007", recipient: "008")
    }

    /// A change without its position.
    private func told(_ change: RowChange<Story>?) -> String {
        switch change {
        case .restarted: "restarted"
        case .row(let story, _): "\(story.title) \(story.likes)"
        case .absent: "absent"
        case .caughtUp: "caughtUp"
        case nil: "end"
        }
    }

    private func told(_ change: ListChange<Story>?) -> String {
        switch change {
        case .restarted: "restarted"
        case .row(let story, _): "\(story.id) \(story.likes)"
        case .removed(let id, _): "removed \(id)"
        case .caughtUp: "caughtUp"
        case nil: "end"
        }
    }

    @Test func `a row that is watched goes on where the daemon was killed and started again`() async throws {
        let (daemon, client) = try await daemon()
        var changes = client.stories.watch("1").makeAsyncIterator()
        #expect(try await told(changes.next()) == "T 0")
        #expect(try await told(changes.next()) == "caughtUp")
        try await client.stories.like("1", by: "008")
        #expect(try await told(changes.next()) == "T 1")
        try daemon.kill()
        try daemon.start()
        #expect(try await told(changes.next()) == "restarted")
        #expect(try await told(changes.next()) == "T 1")
        #expect(try await told(changes.next()) == "caughtUp")
        try await client.stories.edit("1", StoryEdit(title: "New"))
        #expect(try await told(changes.next()) == "New 1")
        try await client.stories.delete("1")
        #expect(try await told(changes.next()) == "absent")
    }

    @Test func `a list that is live names what it has anew, so that what left meanwhile can be dropped`() async throws {
        let (daemon, client) = try await daemon()
        var changes = client.stories.live(StoryFilter(recipient: "008")).makeAsyncIterator()
        #expect(try await told(changes.next()) == "1 0")
        #expect(try await told(changes.next()) == "caughtUp")
        try await client.stories.post(story("2"))
        #expect(try await told(changes.next()) == "2 0")
        try await client.stories.delete("1")
        #expect(try await told(changes.next()) == "removed 1")
        try daemon.kill()
        try daemon.start()
        try await client.stories.post(story("3"))
        try await client.stories.delete("2")
        #expect(try await told(changes.next()) == "restarted")
        #expect(try await told(changes.next()) == "3 0")
        #expect(try await told(changes.next()) == "caughtUp")
    }

    @Test func `a reader that fell behind is told that its list begins again, on the same connection`() async throws {
        @Sendable func row(_ id: String, _ position: Int) -> String {
            #">1 {"position":\#(position),"row":{"id":"\#(id)","version":1,"position":\#(position),"#
                + #""title":"T","message":"m","sender":"007","recipient":"008","date":"2026-11-21T02:55:07.922Z","likes":0}}"#
                + "\n"
        }
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            _ = store.next()
            store.write("+ {\"subscription\":1,\"position\":3}\n" + row("a", 3))
            store.write(">1 {\"again\":5}\n" + row("b", 5) + ">1 {\"caughtUp\":5}\n")
            while store.next() != nil {}
        }
        var changes = StoreClient(server.address).stories.live().makeAsyncIterator()
        var heard: [String] = []
        for _ in 0..<4 { heard.append(told(try await changes.next())) }
        expect(heard == ["a 0", "restarted", "b 0", "caughtUp"])
        expect(server.requests == ["SUBSCRIBE stories"])
    }

    @Test func `content of any kind is watched by its address`() async throws {
        let (daemon, client) = try await daemon()
        let address = try require(ContentAddress("store://users/007"))
        var changes = client.watch(address).makeAsyncIterator()
        guard case .row(.user(let user), _)? = try await changes.next() else {
            Issue.record("a user was expected")
            return
        }
        expect(user.id == "007")
        var none = client.watch(try require(ContentAddress("photos/1"))).makeAsyncIterator()
        #expect(try await none.next() == .absent(position: 3))
        withExtendedLifetime(daemon) {}
    }
}
