import Foundation
import TestSupport
import Testing

@testable import StoryClient

@Suite(.timeLimit(.minutes(10))) struct EventSubscriptionTests {
    /// The first so many elements.
    private func first<Sequence: AsyncSequence>(_ count: Int, of sequence: Sequence) async throws -> [Sequence.Element]
    {
        var elements: [Sequence.Element] = []
        for try await element in sequence {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }

    @Test func `a daemon that is killed and started again leaves no gap and repeats nothing`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let reading = Task { try await first(400, of: client.events(from: 1)).map(\.position) }
        let filtered = Task {
            try await first(100, of: client.events(in: .category("note"), from: 1, types: ["T0"])).map(\.position)
        }
        let writing = Task {
            for number in 0..<400 {
                try await client.append(NewEvent("T\(number % 4)", number), to: "note-\(number % 3)")
            }
        }
        for part in [100, 200, 300] {
            try await eventually("\(part) events are written") { try await client.ping() >= part }
            try daemon.kill()
            try daemon.start()
        }
        try await writing.value
        #expect(try await reading.value == Array(1...400))
        #expect(try await filtered.value == (0..<100).map { UInt64($0 * 4 + 1) })
    }

    @Test func `connections that are cut at any byte leave no gap and repeat nothing`() async throws {
        let daemon = try RunningDaemon()
        try await daemon.storeClient().append((0..<1_000).map { try NewEvent("N", $0) }, to: "note-1")
        let proxy = try CuttingProxy(to: daemon.socket) { (Int.max, Int.random(in: 1...20_000)) }
        defer { proxy.stop() }
        let retry = RetryPolicy(firstDelay: .milliseconds(1), maxDelay: .milliseconds(10))
        let client = StoreClient(StoreAddress(path: proxy.path), configuration: .init(retry: retry))
        #expect(try await first(1_000, of: client.events(from: 1)).map(\.position) == Array(1...1_000))
        expect(proxy.cutCount > 5)
    }

    @Test func `another history under the same socket is told as diverged`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        for number in 0..<5 { try await client.append(NewEvent("N", number), to: "note-1") }
        let old = try #require(try await client.greeting().log)
        var iterator = client.events(from: 1).makeAsyncIterator()
        for _ in 1...5 { _ = try await iterator.next() }
        _ = try daemon.stop()
        try FileManager.default.moveItem(atPath: daemon.data, toPath: daemon.data + ".old")
        try daemon.start()
        // A query finds the other history; a write that was on its way to the old one would be told of that.
        #expect(try await client.ping() == 0)
        for number in 0..<9 { try await client.append(NewEvent("N", number), to: "note-1") }
        let new = try #require(try await client.greeting().log)
        do {
            _ = try await iterator.next()
            Issue.record("this is another history")
        } catch ClientError.diverged(_, let log, let position) {
            expect(log == new && log != old && position == nil)
        }
        // What was told stays told.
        #expect(try await iterator.next() == nil)
        var named = client.events(from: 3, log: old).makeAsyncIterator()
        await #expect(throws: ClientError.self) { try await named.next() }
        await #expect(throws: ClientError.self) { try await client.read(from: 3, log: old) }
    }

    @Test func `without a point to begin at it is what comes next, also after a lost connection`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        try await client.append(NewEvent("N", 1), to: "note-1")
        var iterator = client.events().pushes.makeAsyncIterator()
        #expect(try await iterator.next() == .subscribed(log: client.greeting().log))
        try daemon.kill()
        try daemon.start()
        try await client.append(NewEvent("N", 2), to: "note-1")
        var positions: [UInt64] = []
        while positions.isEmpty {
            if case .event(let event)? = try await iterator.next() { positions.append(event.position) }
        }
        expect(positions == [2])
    }

    @Test func `a reader that stands still keeps little in memory and misses nothing`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let text = String(repeating: "x", count: 20_000)
        var iterator = client.events(from: 1).makeAsyncIterator()
        for _ in 0..<40 { try await client.append((0..<20).map { _ in try NewEvent("N", text) }, to: "note-1") }
        #expect(try await iterator.next()?.position == 1)
        try await eventually("some of it waits") { iterator.base.stream.waitingSize > 0 }
        // 16 MB wait; so much time would be enough to read all of it.
        try await Task.sleep(for: .milliseconds(300))
        expect((1...200_000).contains(iterator.base.stream.waitingSize))
        for position in UInt64(2)...800 { #expect(try await iterator.next()?.position == position) }
    }

    @Test func `cancelling ends a subscription that waits for something that does not come`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let waiting = Task { try await first(1, of: client.events()) }
        try await eventually("it is subscribed") {
            try await client.stats().subscriptions?.count?.integerValue == 1
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await eventually("its connection is gone") {
            try await client.stats().connections?.integerValue == 1
        }
    }

    @Test func `breaking off the loop unsubscribes`() async throws {
        let server = try ScriptedStore { _, store in
            store.write(ScriptedServer.greeting)
            _ = store.next()
            store.write("+ {\"subscription\":7,\"position\":3}\n>7 {\"caughtUp\":3}\n")
            while store.next() != nil {}
        }
        for try await push in StoreClient(server.address).events().pushes where push == .caughtUp(3) { break }
        try await eventually("it is unsubscribed") { server.requests.count > 1 }
        expect(server.requests == ["SUBSCRIBE events", "UNSUBSCRIBE 7"])
    }

    @Test func `an end goes on where it says, and damage is an error`() async throws {
        let event =
            #"{"position":4,"stream":"a-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0,"data":1}"#
        let server = try ScriptedStore { number, store in
            store.write(#"* {"server":"s","protocol":1,"position":9,"log":"L\#(number)"}"# + "\n")
            _ = store.next()
            store.write("+ {\"subscription\":1,\"position\":9}\n")
            switch number {
            case 1: store.write(">1 {\"caughtUp\":2}\n>1 {\"end\":\"draining\",\"resume\":4}\n* {\"draining\":true}\n")
            case 2: store.write(">1 \(event)\n>1 \(event)\n>1 {\"behind\":5}\n")
            default: store.write(">1 {\"end\":\"it is damaged\",\"resume\":5,\"damaged\":true}\n")
            }
        }
        let retry = RetryPolicy(firstDelay: .milliseconds(1))
        let client = StoreClient(server.address, configuration: .init(retry: retry))
        var pushes: [EventPush] = []
        await #expect(throws: ClientError.internal(message: "it is damaged", isDamaged: true, position: 5)) {
            for try await push in client.events(from: 1).pushes { pushes.append(push) }
        }
        let read = try Event(Array(event.utf8))
        let expected: [EventPush] = [
            .subscribed(log: "L1"), .caughtUp(2), .subscribed(log: "L2"), .event(read), .behind(5),
            .subscribed(log: "L3"),
        ]
        expect(pushes == expected)
        let requests = ["from=1", "from=4 log=L1", "from=5 log=L2"].map { "SUBSCRIBE events " + $0 }
        expect(server.requests.filter { $0.hasPrefix("S") } == requests)
    }
}
