import StoryClient
import Synchronization
import TestSupport
import Testing

/// Workers of the Swift client, over a real daemon.
@Suite(.timeLimit(.minutes(10))) struct WorkerTests {
    private static let settings = CursorSettings(.category("order"), window: 8, attempts: 3)

    /// Returns a client of a daemon with some orders, from position 1 on.
    private func filled(_ daemon: RunningDaemon, count: Int) async throws -> StoreClient {
        let client = daemon.storeClient()
        for number in 1...count { try await client.append(try NewEvent("Placed", number), to: "order-\(number % 3)") }
        return client
    }

    private func bill(_ job: Job) async throws -> Receipt? {
        try await job.append([try NewEvent("Billed", job.event.position)], to: "invoice-1")
    }

    @Test func `each job is done in the commit of its output`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon, count: 20)
        for try await job in client.cursors.worker("billing", Self.settings) {
            expect(job.attempt == 1 && !job.isParked)
            let receipt = try await bill(job)
            expect(receipt?.cursor?.at == job.event.position)
            if job.event.position == 20 { break }
        }
        let events = try await client.allEvents(.stream("invoice-1")).collected()
        expect(events.compactMap(\.cursor) == (1...20).map { "billing/1@\($0)" })
        let state = try #require(try await client.cursors.list("billing").first)
        expect((state.at, state.on, state.window) == (20, "events/order-*", 8))
    }

    @Test func `over connections that are cut at any byte each output is made once`() async throws {
        let daemon = try RunningDaemon()
        let direct = try await filled(daemon, count: 120)
        let random = Mutex(SplitMix64(seed: 3))
        let proxy = try CuttingProxy(to: daemon.socket) {
            random.withLock { (Int.random(in: 900...4_000, using: &$0), Int.random(in: 900...4_000, using: &$0)) }
        }
        defer { proxy.stop() }
        let retry = RetryPolicy(limit: .seconds(60), firstDelay: .milliseconds(1), maxDelay: .milliseconds(20))
        let client = StoreClient(StoreAddress(path: proxy.path), configuration: .init(retry: retry))
        let settings = CursorSettings(.category("order"), window: 8, attempts: 0)
        for try await job in client.cursors.worker("billing", settings) {
            _ = try await bill(job)
            if job.event.position == 120 { break }
        }
        let events = try await direct.allEvents(.stream("invoice-1")).collected()
        expect(events.compactMap { $0.data.flatMap { Int($0.text) } }.sorted() == Array(1...120))
        expect(proxy.cutCount > 3)
    }

    @Test func `several that are done are acknowledged together`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon, count: 40)
        for try await job in client.cursors.worker("billing", CursorSettings(.category("order"), window: 20)) {
            try await job.done()
            if job.event.position == 40 { break }
        }
        try await eventually("all are done") { try await client.cursors.list("billing").first?.at == 40 }
        let moves = try await client.allEvents(.stream("cursor-billing")).collected().filter {
            $0.type == "CursorMoved"
        }
        expect(1...6 ~= moves.count, "\(moves.count)")
    }

    @Test func `one that fails comes again, and is parked, retried and discarded`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon, count: 3)
        var seen: [String] = []
        for try await job in client.cursors.worker("billing", Self.settings) {
            seen.append("\(job.event.position)/\(job.attempt)\(job.isParked ? "p" : "")")
            switch (job.event.position, job.attempt, job.isParked) {
            case (1, 1, false): try await job.fail("first\ntime", after: .zero)
            case (1, _, false):
                try await job.park("no customer")
                let parked = try await client.cursors.parked("billing").rows
                expect(parked.map(\.event) == [1] && parked.first?.error == "no customer")
                #expect(try await client.cursors.retry("billing") == 1)
            case (1, _, true): try await job.fail()
            case _: _ = try await bill(job)
            }
            if job.isParked { break }
        }
        expect(seen.filter { $0.hasPrefix("1") } == ["1/1", "1/2", "1/1p"], "\(seen)")
        #expect(try await client.cursors.parked("billing").rows.first?.attempts == 3)
        try await client.cursors.discard("billing", event: 1, reason: "a test order")
        #expect(try await client.cursors.parked("billing").rows.isEmpty)
        await #expect(throws: ClientError.self) { try await client.cursors.discard("billing", event: 1, reason: "x") }
    }

    @Test func `events of a history that was confirmed are done anew`() async throws {
        let event =
            #"{"position":1,"stream":"a-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0,"data":1}"#
        let server = try ScriptedStore { number, store in
            store.write(#"* {"server":"s","protocol":1,"position":1,"log":"L\#(number)"}"# + "\n")
            // The first connection ends at its ACK.
            while let request = store.next()?.request, request.hasPrefix("WORK") || number > 1 {
                guard request.hasPrefix("WORK") else { continue }
                store.write("+ {\"subscription\":1,\"at\":0}\n>1 \(event)\n")
            }
        }
        let client = StoreClient(server.address, configuration: .init(retry: RetryPolicy(firstDelay: .milliseconds(1))))
        var count = 0
        for try await job in client.cursors.worker("billing", confirming: true) {
            count += 1
            guard count == 1 else { break }
            try await job.done()
        }
        let works = server.requests.filter { $0.hasPrefix("WORK") }
        expect(works == ["WORK billing wait=true log=L1", "WORK billing wait=true log=L2"])
    }

    /// The events that workers did, by their shares.
    private final class Taken: Sendable {
        private let taken = Mutex<[Int: [UInt64]]>([:])

        var shares: [Int: [UInt64]] { taken.withLock { $0 } }
        var count: Int { shares.values.reduce(0) { $0 + $1.count } }

        func add(_ event: UInt64, of share: Int) { taken.withLock { $0[share, default: []].append(event) } }
    }

    /// Works at a share until that many events of the cursor are done.
    private static func bill(_ most: Int, of client: StoreClient, into taken: Taken) async throws {
        for try await job in client.cursors.worker("billing") {
            let receipt = try await job.append([try NewEvent("Billed", job.event.position)], to: "invoice-1")
            taken.add(job.event.position, of: receipt?.cursor?.share ?? 0)
            if taken.count >= most { return }
        }
    }

    @Test func `with a job in hand a worker holds the share of that job again`() async throws {
        let event =
            #"{"position":1,"stream":"a-1","version":1,"type":"T","time":"2026-11-21T02:55:07.922Z","by":0,"data":1}"#
        let server = try ScriptedStore { number, store in
            store.write(#"* {"server":"s","protocol":1,"position":1,"log":"L"}"# + "\n")
            // The first connection ends at the output, which was done.
            while let request = store.next()?.request, request.hasPrefix("WORK") || number > 1 {
                let held = #"+ {"subscription":1,"share":2,"shares":2,"at":\#(number - 1)}"#
                store.write(request.hasPrefix("WORK") ? "\(held)\n" : #"+ {"count":0,"position":1}"# + "\n")
                if number == 1 { store.write(">1 \(event)\n") }
            }
        }
        let client = StoreClient(server.address, configuration: .init(retry: RetryPolicy(firstDelay: .milliseconds(1))))
        for try await job in client.cursors.worker("billing") {
            #expect(try await bill(job) == nil)
            break
        }
        let works = server.requests.filter { $0.hasPrefix("WORK") }
        expect(works == ["WORK billing wait=true", "WORK billing share=2 wait=true"])
    }

    @Test func `two workers share a cursor, a third one waits, and it begins anew and is dropped`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon, count: 30)
        let settings = CursorSettings(.category("order"), shares: 2, window: 4)
        try await client.cursors.define("billing", settings)
        let taken = Taken()
        var others: [Task<Void, any Error>] = []
        for try await job in client.cursors.worker("billing") {
            others = (1...2).map { _ in Task { try await Self.bill(30, of: client, into: taken) } }
            try await eventually("one of them waits") {
                try await client.cursors.list("billing").contains { $0.waiting == 1 }
            }
            taken.add(job.event.position, of: try await bill(job)?.cursor?.share ?? 0)
            break
        }
        try await eventually("all are done") { taken.count == 30 }
        for task in others {
            task.cancel()
            _ = await task.result
        }
        let positions = taken.shares
        expect(positions.keys.sorted() == [1, 2] && positions.values.joined().sorted() == Array(1...30))
        expect(positions.values.allSatisfy { $0 == $0.sorted() })
        try await eventually("both shares are free") {
            try await client.cursors.list("billing").map(\.state) == ["free", "free"]
        }
        #expect(try await client.cursors.reset("billing", to: .position(3)).stream == "cursor-billing")
        #expect(try await client.cursors.list("billing").map(\.at) == [3, 3])
        try await client.cursors.drop("billing")
        await #expect(throws: ClientError.self) { try await client.cursors.list("billing") }
        await #expect(throws: ClientError.self) { try await client.cursors.define("billing", settings) }
    }

    @Test func `a second worker waits until the first one leaves`() async throws {
        let daemon = try RunningDaemon()
        let client = try await filled(daemon, count: 2)
        try await client.cursors.define("billing", Self.settings)
        let order = Mutex<[String]>([])
        let first = Task {
            for try await job in client.cursors.worker("billing") {
                order.withLock { $0.append("first \(job.event.position)") }
                try await Task.sleep(for: .milliseconds(300))
                _ = try await bill(job)
                break
            }
        }
        try await eventually("the first one works") { !order.withLock { $0.isEmpty } }
        for try await job in client.cursors.worker("billing") {
            order.withLock { $0.append("second \(job.event.position)") }
            _ = try await bill(job)
            break
        }
        try await first.value
        expect(order.withLock { $0 } == ["first 1", "second 2"])
        let settings = CursorSettings(.stream("order-1"))
        await #expect(throws: ClientError.self) { try await client.cursors.define("billing", settings) }
    }
}
