import StoryCore
import StoryFold
import StoryStore
import StoryStorage
import StoryWire
import TestSupport

/// Histories of any events: folded by the daemon's fold, into a plain store and stream by stream, they are one model.
///
/// Of each event `which stream 1 · which type 1 · flags and time 1 · length of the data 1 · the data`; with a length of 0
/// it has every member that a kind knows. With a flag the data are its tags as well, whatever they are.
final class FoldTarget: FuzzTarget {
    private static let most = 60
    private static let streams: [[UInt8]] =
        Catalogue.standard.kinds.flatMap { kind in ["\(kind.category)-u1", "\(kind.category)-u2"].map(\.bytes) }
        + ["note-1", "note-2-3", "user-" + String(repeating: "i", count: 64)].map(\.bytes)
        + ["story-" + String(repeating: "i", count: 65), String(repeating: "c", count: 64) + "-1"].map(\.bytes)
    private static let types: [EventType] =
        Catalogue.standard.kinds.flatMap { kind in kind.events.map { $0.type.type } } + ["Noted".type]
    static let everything = """
        {"name":"Aki","email":"A@b.c","prefecture":13,"title":"T","message":"M","text":"X","sender":"u1","recipient":"u2",\
        "story":"u1","user":"u2","owner":"u1","iso":400,"focalLength":35.5,"exposureValue":-1.5,"lensAperture":2.8,\
        "exposureDuration":"1/125","flash":"none","date":"2026-01-02T03:04:05.678Z"}
        """.view

    private let plan = CataloguePlan(.standard)
    private let json = JSONObjectReader()
    private let store = MemoryModelStore()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let isCompared = input.byte() & 7 == 0
        let events = FoldTarget.events(&input)
        store.removeAll()
        fold(events, into: store)
        compareStreams(events)
        if isCompared { comparePlain(events) }
    }

    /// Events that follow one another as a log has them.
    private static func events(_ input: inout FuzzInput) -> [Event] {
        var events: [Event] = []
        var heads: [[UInt8]: (number: UInt64, version: UInt64)] = [:]
        while !input.isEmpty, events.count < most {
            let (stream, type, flags) = (input.pick(streams), input.pick(types), input.byte())
            let count = Int(input.byte())
            let data = count == 0 || input.isEmpty ? everything : Array(input.take(count)).view
            let head = heads[stream] ?? (UInt64(heads.count + 1), 0)
            heads[stream] = (head.number, head.version + 1)
            // Mostly a time of today, sometimes one at an end of what there is.
            let far = flags & 6 == 0 ? [Int64.min, -1, 0, Int64.max][Int(flags >> 6)] : 1_800_000_000_000
            events.append(
                Event(
                    position: Position(UInt64(events.count + 1)),
                    stream: StreamName(trusted: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? 0),
                    streamNumber: StreamNumber(head.number), version: Version(head.version + 1),
                    time: Instant(milliseconds: far), by: 1, key: flags & 1 == 0 ? nil : "k\(flags >> 3)".key,
                    tags: flags & 8 == 0 || data.count == 0 || data.count > 1_024 ? nil : data,
                    meta: nil, body: .custom(type, data: data)))
        }
        return events
    }

    private func fold(_ events: [Event], into store: any TableStore) {
        let projector = ModelProjector(plan, store: store, json: json)
        for event in events {
            event.withRecord { record in
                do throws(StorageError) { try projector.fold(record) } catch { fatalError("an event folds: \(error)") }
            }
        }
    }

    /// Stream by stream, as a replay does it, the same entries come out.
    private func compareStreams(_ events: [Event]) {
        let digests = StreamDigests(plan.catalogue)
        let fold = StreamFold(plan, sink: digests, json: json)
        do throws(StorageError) {
            let streams = Dictionary(grouping: events) { [UInt8]($0.stream.spelling) }
            for stream in FoldTarget.streams {
                for event in streams[stream] ?? [] {
                    let result = event.withRecord { record in
                        Result { () throws(StorageError) in try fold.fold(record) }
                    }
                    try result.get()
                }
                try stream.withBytes { (name) throws(StorageError) in try fold.end(name) }
                digests.streamEnded()
            }
        } catch { fatalError("a stream folds: \(error)") }
        digests.close()
        for table in plan.catalogue.kinds.flatMap(\.tables) + [
            StreamTables.streams, StreamTables.streamPositions, StreamTables.tagEvents,
        ] {
            // Two rows of one text, which no decider lets in, are another matter in another order.
            if plan.catalogue.kinds.contains(where: { $0.unique?.table == table }) { continue }
            hold(digests.digest(of: table) == store.digest(of: table), "\(table.name) is one table in any order")
        }
    }

    private func comparePlain(_ events: [Event]) {
        let plain = PlainStore()
        fold(events, into: plain)
        for table in plan.catalogue.tables {
            let (found, expected) = (store.entries(of: table), plain.entries(of: table))
            hold(found.count == expected.count, "\(table.name) has as many entries as a plain one")
            for entry in found {
                hold(expected[entry.key] == entry.value, "\(table.name) has the entries of a plain one")
            }
        }
    }
}
