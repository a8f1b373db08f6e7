import Foundation
import StoryClient
import TestSupport
import Testing

/// A daemon in a temporary folder, which leaves nothing behind.
@Suite(.timeLimit(.minutes(2))) struct TemporaryStoreTests {
    private static func store() async throws -> Store {
        try await Store.temporary(program: try Program.path("stored"))
    }

    private func folder(_ store: Store) -> String {
        URL(filePath: store.address.path).deletingLastPathComponent().path
    }

    /// The processes that have the folder among their arguments.
    private func processes(mentioning folder: String) -> [String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { name in
            UInt32(name) != nil && Files.text("/proc/\(name)/cmdline").contains(folder)
        }
    }

    private func isGone(_ folder: String) -> Bool {
        !FileManager.default.fileExists(atPath: folder) && processes(mentioning: folder).isEmpty
    }

    @Test func `each is empty, writes and answers, and is gone when it was stopped`() async throws {
        let one = try await Self.store()
        let other = try await Self.store()
        expect(folder(one) != folder(other) && !processes(mentioning: folder(one)).isEmpty)
        #expect(try await one.client.append(NewEvent("Filled", "tea"), to: "cup-1").position == 1)
        #expect(try await other.client.greeting().position == 0)
        await one.stop()
        expect(isGone(folder(one)))
        await one.stop()
        #expect(try await other.client.append(NewEvent("Filled", "tea"), to: "cup-1").position == 1)
        await other.stop()
        expect(isGone(folder(other)))
        await #expect(throws: ClientError.closed) { try await one.client.ping() }
    }

    @Test func `one that nobody refers to any more is gone`() async throws {
        var store: Store? = try await Self.store()
        let folder = try require(store.map(folder))
        _ = try await store?.client.ping()
        expect(!isGone(folder))
        store = nil
        expect(isGone(folder))
    }

    @Test func `the sequences that its client follows end with it`() async throws {
        let store = try await Self.store()
        let client = store.client
        try await client.append(NewEvent("Filled", "tea"), to: "cup-1")
        let began = AsyncStream<Void>.makeStream()
        let events = Task {
            var count = 0
            for try await _ in client.events(from: 1) {
                count += 1
                began.continuation.yield()
            }
            return count
        }
        let rows = Task {
            for try await change in client.stories.live() { if case .caughtUp = change { began.continuation.yield() } }
        }
        var beginnings = began.stream.makeAsyncIterator()
        for _ in 0..<2 { await beginnings.next() }
        await store.stop()
        #expect(try await events.value == 1)
        try await rows.value
        var after = client.users.watch("1").makeAsyncIterator()
        #expect(try await after.next() == nil)
    }

    @Test func `no child stays unreaped`() async throws {
        let store = try await Self.store()
        let children = processes(mentioning: folder(store))
        expect(children.count == 2)
        await store.stop()
        for child in children { expect(!FileManager.default.fileExists(atPath: "/proc/\(child)")) }
    }

    @Test func `a process that is killed leaves no daemon and no folder behind`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                let store = try await TemporaryStoreTests.store()
                _ = try await store.client.ping()
                try FileHandle.standardOutput.write(contentsOf: Data("folder=\(store.address.path)\n".utf8))
                kill(getpid(), SIGKILL)
            })
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let path = try require(output.split(separator: "\n").first { $0.hasPrefix("folder=") }?.dropFirst(7))
        let folder = URL(filePath: String(path)).deletingLastPathComponent().path
        try until("daemon and folder are gone") { isGone(folder) }
    }

    @Test func `the article's test runs, with the daemon that the environment names`() async throws {
        await #expect(processExitsWith: .success) {
            setenv("STORYKEEP_BIN", URL(filePath: try Program.path("stored")).deletingLastPathComponent().path, 1)
            try await anOrderThatIsPlacedTwiceIsThereOnce()
        }
    }

    @Test func `a program that is not there is told with every path that was tried`() async throws {
        await #expect(throws: StoreStartError.noProgram(paths: ["/nowhere/stored"])) {
            try await Store.temporary(program: "/nowhere/stored")
        }
    }

    /// A script in the place of the daemon. Another process writes it: a child that this one starts meanwhile would have
    /// it open, and a file that is open for writing cannot be run.
    private func script(_ text: String, in folder: Scratch) throws -> String {
        let (source, program) = (folder.place("source"), folder.place("stored"))
        try Files.write("#!/bin/sh\n" + text, to: source)
        let copying = try Program(
            ["install", "-m", "755", source, program], output: folder.place("out"), errors: folder.place("out"))
        expect(try copying.wait() == .code(0))
        return program
    }

    @Test func `one that ends before it serves is told with what it printed last`() async throws {
        let scratch = try Scratch()
        let program = try script("echo began\necho \"no room for $2\"\nexit 3\n", in: scratch)
        var left = ""
        do {
            _ = try await Store.temporary(program: program)
            Issue.record("it started")
        } catch StoreStartError.ended(let trace) {
            expect(trace.hasPrefix("no room for /"))
            left = String(trace.dropFirst("no room for ".count).dropLast("/data".count))
        }
        expect(isGone(left))
    }

    @Test func `one that does not serve in time is told, and ended`() async throws {
        let scratch = try Scratch()
        let program = try script("echo \"$2\"\nexec sleep 600\n", in: scratch)
        var left = ""
        // On a busy machine the script may have printed nothing yet.
        for limit in [Duration.seconds(1), .seconds(30)] where left.isEmpty {
            do {
                _ = try await Store.temporary(program: program, timeLimit: limit)
                Issue.record("it started")
            } catch StoreStartError.notReady(let after, let trace) {
                expect(after == limit)
                left = String(trace.dropLast("/data".count))
            }
        }
        expect(left.hasPrefix("/") && isGone(left))
    }
}
