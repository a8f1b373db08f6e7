import StoryClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExactlyOnceTests {
    @Test func `a thousand writes over connections that are cut at any byte are each done once`() async throws {
        let daemon = try RunningDaemon()
        let random = Mutex(SplitMix64(seed: 7))
        let proxy = try CuttingProxy(to: daemon.socket) {
            random.withLock { (Int.random(in: 1...30_000, using: &$0), Int.random(in: 1...15_000, using: &$0)) }
        }
        defer { proxy.stop() }
        let retry = RetryPolicy(limit: .seconds(60), firstDelay: .milliseconds(1), maxDelay: .milliseconds(20))
        let client = StoreClient(StoreAddress(path: proxy.path), configuration: .init(retry: retry))
        let receipts = try await withThrowingTaskGroup(of: (Int, Receipt).self) { group in
            for number in 0..<1_000 {
                let key: String? = number % 2 == 0 ? "key-\(number)" : nil
                group.addTask {
                    (number, try await client.append(NewEvent("N", number), to: "note-\(number % 7)", key: key))
                }
            }
            return try await group.reduce(into: [Int: Receipt]()) { $0[$1.0] = $1.1 }
        }
        // The log is read on a connection that nobody cuts.
        let events = try await daemon.storeClient().allEvents().collected()
        expect(events.count == 1_000)
        expect(Set(events.compactMap(\.data?.text)).count == 1_000)
        for event in events {
            let number = try require(event.data.flatMap { Int($0.text) })
            expect(receipts[number]?.position == event.position)
            expect(number % 2 == 1 || event.key == "key-\(number)")
        }
        expect(proxy.cutCount > 5)
        expect(receipts.values.contains { $0.isRepeated })
    }

    @Test func `writes go on where the daemon was killed and started again`() async throws {
        let daemon = try RunningDaemon()
        let client = daemon.storeClient()
        let writing = Task {
            for number in 0..<200 { try await client.append(NewEvent("N", number), to: "note-1") }
        }
        for part in [50, 100] {
            try await eventually("\(part) events are written") { try await client.ping() >= part }
            try daemon.kill()
            try daemon.start()
        }
        try await writing.value
        let events = try await client.allEvents(.stream("note-1"), pageSize: 7).collected()
        expect(events.compactMap(\.data?.text) == (0..<200).map(String.init))
    }
}
