import Glibc
import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryWire
import Synchronization

/// One of the threads that fold a sorted log.
///
/// Unchecked `Sendable`: all but the count belongs to one thread at a time.
final class ReplayWorker: @unchecked Sendable {
    let digests: StreamDigests
    let keys = MemoryModelStore()
    /// The tallies of types in categories.
    let types = MemoryModelStore()
    private let chains: EventChains
    /// The numbers of the categories that each thread met while sorting.
    private let categories: [[UInt64]]
    private let share: (number: Int, of: Int)
    private let stream: StreamFold
    private var keyIndex: KeyIndex
    private var typeIndex: TypeIndex
    private let count = Atomic<UInt64>(0)
    /// The number of streams that it has folded.
    private(set) var streams: UInt64 = 0

    init(
        _ plan: CataloguePlan, _ chains: EventChains, _ categories: [[UInt64]], _ number: Int, of workers: Int
    ) {
        self.chains = chains
        self.categories = categories
        share = (number, workers)
        digests = StreamDigests(plan.catalogue)
        stream = StreamFold(plan, sink: digests, json: JSONObjectReader())
        keyIndex = KeyIndex(keys)
        typeIndex = TypeIndex(types)
    }

    /// The number of events that it has folded.
    var folded: UInt64 { count.load(ordering: .relaxed) }

    /// Folds the streams with these numbers; false when an event is not as expected.
    func fold(_ numbers: ClosedRange<Int>) -> Bool {
        var events: UInt64 = 0
        for number in numbers {
            chains.prefetch(UInt64(number) + 4)
            guard let stream = chains.stream(UInt64(number)) else { continue }
            let category = categories[Int(stream.category >> 24)][Int(stream.category & 0xFF_FFFF)]
            do throws(StorageError) {
                guard let folded = try fold(StreamNumber(UInt64(number)), from: stream.first, category) else {
                    return false
                }
                events += folded
                streams += 1
            } catch {
                return false
            }
        }
        count.add(events, ordering: .relaxed)
        return true
    }

    /// Folds this worker's share of the request keys, in the order of their events; false when an event is not as
    /// expected.
    func foldKeys(_ sorting: LogSorting) -> Bool {
        var isUsual = true
        sorting.visitKeyed { position in
            do throws(StorageError) {
                guard let record = try chains.record(at: position)?.event(at: Position(position)),
                    let key = record.keyBytes
                else { return isUsual = false }
                guard key.reduce(0, { $0 + Int($1) }) % share.of == share.number else { return }
                try keyIndex.fold(key, at: Position(position), after: keyIndex.entry(of: key))
            } catch {
                isUsual = false
            }
        }
        return isUsual
    }

    /// Folds one stream and returns the number of its events; nil when they are not its versions 1, 2, 3 …
    private func fold(
        _ number: StreamNumber, from first: UInt64, _ category: UInt64
    ) throws(StorageError) -> UInt64? {
        var position = first
        var version: UInt64 = 0
        var name = UnsafeRawBufferPointer.none
        while true {
            guard let record = try chains.record(at: position)?.event(at: Position(position)) else { return nil }
            version += 1
            guard record.streamNumber == number, record.version.value == version else { return nil }
            if version == 1 { name = record.streamName }
            guard record.streamName.equals(name) else { return nil }
            try stream.fold(record)
            try typeIndex.foldCategory(record)
            let next = chains.next(after: position)
            chains.leave(category, at: position)
            guard next > 0 else { break }
            position = next
        }
        try stream.end(name)
        digests.streamEnded()
        return version
    }
}
