import StoryCore
import StoryModels
import Testing
import TestSupport

@testable import StoryEngine

/// The short way of `APPEND` leaves the models and the engine as the long one does.
struct PlainAppendTests {
    private static let time = Instant(milliseconds: 1_800_000_000_000)

    private static func events(_ count: Int) -> [(stream: StreamName, proposal: EventProposal)] {
        var random = SplitMix64(seed: 3)
        return (0..<count).map { _ in
            let category = ["note", "memo", "n"].randomElement(using: &random) ?? "note"
            let name = "\(category)-\(Int.random(in: 0..<7, using: &random))"
            let type = EventType(trusted: Array("Noted".utf8))
            return (name.stream, EventProposal(type: type, data: Array("{}".utf8), meta: nil))
        }
    }

    @Test func `both ways fold the same and place the same`() throws {
        let (long, short) = (EngineHarness(), EngineHarness())
        for (index, (stream, proposal)) in PlainAppendTests.events(500).enumerated() {
            let asked = try #require(long.ask(.append(stream, [proposal], WriteOptions())).events.first)
            // Now and then the short harness goes the long way as well: they take turns on one store.
            guard index % 5 > 0 else {
                short.ask(.append(stream, [proposal], WriteOptions()))
                continue
            }
            let place = stream.bytes.withUnsafeBytes { name in
                short.engine.appendPlainly(
                    to: name, typeCount: 5, by: 1_000, now: short.now)
            }
            #expect(place == asked.place)
            short.log.append(asked)
            asked.withRecord { short.fold($0) }
        }
        for table in Catalogue.standard.tables {
            let isSame = entries(long.store, table) == entries(short.store, table)
            #expect(isSame, "\(table.name)")
        }
    }

    private func entries(_ store: PlainStore, _ table: ModelTable) -> [[[UInt8]]] {
        store.entries(of: table).map { [$0.key, $0.value] }.sorted { $0[0].lexicographicallyPrecedes($1[0]) }
    }

    @Test func `while writes are refused, and once it drains, there is no short way`() {
        let harness = EngineHarness()
        func append() -> EventPlace? {
            Array("note-1".utf8).withUnsafeBytes {
                harness.engine.appendPlainly(to: $0, typeCount: 5, by: 1, now: PlainAppendTests.time)
            }
        }
        harness.engine.writesRefused(Failure(.full, "no room"))
        #expect(append() == nil)
        harness.engine.writesRefused(nil)
        #expect(append()?.position == Position(1))
        harness.engine.drainRequested()
        #expect(append() == nil)
    }
}
