import Glibc
import StoryCore
import StoryStorage
import StoryWire
import Testing
import TestSupport

@testable import StoryFold
@testable import StoryStore

/// What folding, encoding and looking up cost; run with STORYKEEP_COSTS=1 in a release build.
@Suite(.enabled(if: getenv("STORYKEEP_COSTS") != nil)) struct SchemaCostTests {
    private let plan = CataloguePlan(.standard)
    private let rows = getenv("STORYKEEP_ROWS").flatMap { Int(String(cString: $0)) } ?? 1_000_000

    /// The thread's CPU time in microseconds.
    private func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private func story(_ number: Int) -> LoggedEvent {
        let text = String(repeating: "x", count: 100)
        let data =
            #"{"title":"Story \#(number % 997) of \#(number)","message":"\#(text)","sender":"u\#(number % 1_000)""#
            + #","recipient":"u\#(number * 7 % 1_000)"}"#
        return LoggedEvent(
            UInt64(number), UInt64(number), 1, Instant(milliseconds: 1_800_000_000_000 + Int64(number)),
            stream: "story-s0-\(number)", type: "StoryPosted", key: nil, data: data)
    }

    @Test func `a million stories`() throws {
        let folder = TemporaryFolder()
        let directory = try DataDirectory(folder.store, for: .serving)
        let store = try LMDBModelStore(
            in: directory, storeID: ModelBench.storeID, version: 3, mapSize: 1 << 36, tables: plan.catalogue.tables)
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        var (folding, writing, bytes) = (0.0, 0.0, 0)
        for start in stride(from: 1, through: rows, by: 25_000) {
            let events = (start..<min(start + 25_000, rows + 1)).map { story($0) }
            bytes += events.reduce(0) { $0 + $1.text.count }
            let began = cpu()
            for event in events { try event.withRecord { try projector.fold($0) } }
            let folded = cpu()
            let checkpoint = store.freeze(at: Position(UInt64(start)))
            try checkpoint.run()
            try store.finish()
            folding += folded - began
            writing += cpu() - folded
        }
        print("fold of StoryPosted: \(folding / Double(rows)) us; checkpoint \(writing / Double(rows)) us")
        print("events \(bytes / rows) bytes; models \(Double(store.storedBytes) / Double(rows)) bytes a story")
        try lookUp(store)
        store.close()
        let snapshot = try ModelSnapshot(in: directory, tables: plan.catalogue.tables)
        for table in plan.catalogue.tables {
            let size = try snapshot.size(of: table)
            if size > rows { print("\(table.name): \(Double(size) / Double(rows)) bytes a story") }
        }
        snapshot.close()
    }

    private func lookUp(_ store: LMDBModelStore) throws {
        let schema = try require(plan.catalogue.kinds.first { $0.name == "stories" })
        let encoder = RowJSONEncoder(plan.catalogue)
        var random = SplitMix64(seed: 1)
        let ids = (0..<200_000).map { _ in "s0-\(Int(random.next() % UInt64(rows)) + 1)".id }
        let lookup = RowLookup(store)
        var json = ByteWriter()
        var found = 0
        for _ in 0..<3 {
            var began = cpu()
            for id in ids {
                _ = try lookup.row(schema, id) { found += $0.bytes.count }
            }
            let looked = cpu() - began
            began = cpu()
            for id in ids {
                json.removeAll()
                _ = try lookup.row(schema, id) { encoder.append($0, to: &json) }
            }
            print("row by ID: \(looked / 200_000) us; with its JSON: \((cpu() - began) / 200_000) us")
        }
        var record: [UInt8] = []
        _ = try lookup.row(schema, ids[0]) { record = Array($0.bytes) }
        let began = cpu()
        for _ in 0..<1_000_000 {
            json.removeAll()
            record.withBytes { encoder.append(RowView(trusted: $0, schema.layoutPointer), to: &json) }
        }
        print("row of \(record.count) bytes to \(json.count) bytes of JSON: \((cpu() - began) / 1e6) us")
        expect(found > 0)
    }
}
