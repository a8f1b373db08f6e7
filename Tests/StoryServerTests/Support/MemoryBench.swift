import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
@testable import StoryServer
import StoryWire
import TestSupport

/// A log and its models in memory, and beside them the plain list of what was appended.
final class MemoryBench {
    let log = MemoryEventLog()
    let store = MemoryModelStore()
    private(set) var events: [Event] = []
    private let projector: ModelProjector
    private var maker = EventMaker()

    /// Where the events of streams and categories lie.
    let index: StreamIndex

    /// What watchers of rows are told.
    var rows: RowPushes {
        RowPushes(
            RowWatcher(CataloguePlan(.standard), store: store, json: JSONObjectReader(), log: log, feed: ChangeFeed()),
            RowPushEncoder(.standard))
    }

    init() {
        projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        index = StreamIndex(store)
    }

    /// Appends and commits so many events of a few streams, categories and types.
    func append(_ count: Int, _ random: inout SplitMix64) throws(StorageError) {
        for _ in 0..<count {
            let stream = random.pick("note-1", "note-2", "task-1", "notes-1")
            let tags = EventTags.text((0..<random.pick(0, 1, 2)).map { _ in random.pick("x:1", "x:11", "vip") })
            try append(maker.event(stream, .noted(random.pick("Wrote", "Read", "Done")), tags: tags))
        }
        try log.commit()
    }

    /// Appends and commits an event with each of these tags.
    func append(_ tags: [[String]]) throws(StorageError) {
        for tags in tags { try append(maker.event("note-1", .noted(), tags: EventTags.text(tags))) }
        try log.commit()
    }

    private func append(_ event: Event) throws(StorageError) {
        events.append(event)
        try log.append(event)
        var failure: StorageError?
        event.withRecord { record in
            do throws(StorageError) { try projector.fold(record) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The events of a source in order, each with the number that reading counts it by.
    func plain(_ source: EventSelection.Source) -> [(number: UInt64, event: Event)] {
        events.compactMap { event in
            switch source {
            case .all: (event.position.value, event)
            case .stream(let name): event.stream == name ? (event.version.value, event) : nil
            case .category(let name): event.stream.category == name ? (event.position.value, event) : nil
            }
        }
    }
}
