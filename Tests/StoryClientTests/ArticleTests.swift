import Foundation
import StoryClient
import TestSupport
import Testing

/// The code of the articles is code that is compiled and run here.
@Suite(.timeLimit(.minutes(10))) struct ArticleTests {
    @Test(arguments: ["FirstProgram", "LiveList", "DeclaredModels", "ExactlyOnceWorker", "TestingWithAStore"])
    func `each piece of code in an article is part of the file that is compiled`(article: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let code = try String(contentsOf: tests.appending(path: "Articles/\(article).swift"), encoding: .utf8)
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "Sources/StoryClient/StoryClient.docc/\(article).md")
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        // A piece without a language is no code of the article's: a manifest, a command.
        let pieces = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.filter { !$0.hasPrefix("\n") }
        expect(pieces.count >= 2)
        for piece in pieces {
            expect(piece.hasPrefix("swift\n"))
            expect(code.contains(piece.dropFirst("swift\n".count)), "\(piece)")
        }
    }

    @Test func `the first program runs, and runs again`() async throws {
        let daemon = try RunningDaemon()
        try await firstProgram(at: StoreAddress(path: daemon.socket))
        let client = daemon.storeClient()
        #expect(try await client.stories.count(.init(recipient: "noor")) == 1)
        try await firstProgram(at: StoreAddress(path: daemon.socket))
        #expect(try await client.stories.count(.init(recipient: "noor")) == 2)
        #expect(try await client.users.count() == 2)
        try await tellWhatIsWrong(client, StoryForm(title: "", message: "", sender: "1", recipient: "2"))
        for text in ["users/mika", "store://users/9", "?"] { try await showWhatIsThere(client, text) }
    }

    @Test func `the inbox drops what left the list while the store was away`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await firstProgram(at: StoreAddress(path: daemon.socket))
        let inbox = Inbox()
        let following = Task { try await inbox.follow(client, recipient: "noor") }
        let first = try #require(try await client.stories.list().rows.first)
        try await eventually("the inbox has the whole list") { await inbox.isComplete }
        #expect(await inbox.stories.keys.sorted() == [first.id])
        try daemon.kill()
        try daemon.start()
        try await client.stories.delete(first.id)
        let form = StoryForm(id: "new", title: "Autumn", message: "x", sender: "mika", recipient: "noor")
        try await client.stories.post(form)
        try await eventually("the inbox has the new story alone") { await inbox.stories.keys.sorted() == ["new"] }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test func `a declared model is asked and followed, also once another definition took over`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        for (number, total) in [5, 20, 30].enumerated() {
            let placed = NewEvent("Placed", json: try JSONText("{\"customer\":\"c1\",\"total\":\(total)}"))
            try await client.append(placed, to: "order-\(number)")
        }
        try await declareOrders(client)
        #expect(try await greatOrders(client, of: "c1") == ["2", "1"])
        let sums = AsyncStream<Double>.makeStream()
        let following = Task { try await followSum(client, of: "c1") { sums.continuation.yield($0) } }
        var told = sums.stream.makeAsyncIterator()
        while await told.next() != 55 {}
        try await client.append(NewEvent("Cancelled", json: try JSONText("{}")), to: "order-1")
        while await told.next() != 35 {}
        let doubled = ordersModel.replacing("total = data.total", with: "total = data.total * 2")
        let receipt = try await client.models.define("orders", doubled, waiting: TestTimeout.duration)
        expect(receipt.state == "ready" && receipt.definition == 2 && receipt.rows == 2 && receipt.misfits == 0)
        while await told.next() != 70 {}
        expect(receipt.hints.isEmpty)
        let gathered = doubled.replacing("from order", with: "from order, cart")
        let hints = try await client.models.check("orders", gathered).hints
        expect(hints.map(\.line) == [1] && hints[0].message.hasPrefix("rows are made of several streams now"))
        #expect(try await client.models.define("orders", gathered).hints == hints)
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test func `the worker that is stopped again and again welcomes everybody once`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        for number in 0..<20 {
            let form = UserForm(id: "u\(number)", name: "N", email: "u\(number)@example.org", prefecture: 1)
            try await client.users.post(form)
        }
        var longest = 12
        try await eventually("everybody is welcomed") {
            let working = Task { try await welcomeEveryUser(client, from: "u0") }
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...longest)))
            working.cancel()
            _ = await working.result
            // On a busy machine a worker may want much longer for its first welcome.
            longest += longest / 4
            return try await client.messages.count() == 20
        }
        let welcomed = try await client.messages.all().collected().map(\.recipient)
        expect(welcomed.sorted() == (0..<20).map { "u\($0)" }.sorted())
    }

    @Test func `a note is taken once although the store stands still for a while`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        _ = try await client.ping()
        try daemon.pause()
        let writing = Task { try await takeNote(client, "Milk", key: "note-1", within: .milliseconds(20)) }
        try await Task.sleep(for: .milliseconds(200))
        try daemon.resume()
        try await writing.value
        #expect(try await client.read(.stream("note-1")).rows.count == 1)
    }

    @Test func `a conflict is decided again`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await firstProgram(at: StoreAddress(path: daemon.socket))
        let id = try #require(try await client.stories.list().rows.first?.id)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { try await rename(client, story: id, to: "T\(number)") } }
            try await group.waitForAll()
        }
        #expect(try await client.stories.get(id).version == 6)
    }
}
