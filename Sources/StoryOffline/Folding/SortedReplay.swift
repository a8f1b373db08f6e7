import StoryCore
import StoryLog
import StoryFold
import StoryStore
import StoryWire

/// A replay that folds stream by stream, on the threads of a pool, and keeps digests but no entries.
enum SortedReplay {
    /// The number of streams in one piece of work.
    private static let piece = 4_096

    /// Returns the digests of all tables, and the positions of the events that define models; nil when the log is
    /// damaged, or has anything that must be folded in order.
    static func fold(
        _ log: LMDBEventLog, _ plan: CataloguePlan, through: Position,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> (digests: StreamDigests, definitions: [Position])? {
        let pool = ThreadPool()
        guard let sorting = try LogSorting.sort(log, through: through, by: pool) else { return nil }
        defer { sorting.close() }
        let categories = sorting.categories()
        let workers = (0..<pool.count).map {
            ReplayWorker(CataloguePlan(plan.catalogue.copy()), sorting.chains, categories.numbers, $0, of: pool.count)
        }
        let streams = Int(through.value)
        let pieces = (streams + piece - 1) / piece
        let isUsual = pool.share(pieces + pool.count) { member, index in
            if index >= pieces { return workers[index - pieces].foldKeys(sorting) }
            let first = index * piece + 1
            return workers[member].fold(first...min(first + piece - 1, streams))
        } meanwhile: {
            progress(Position(workers.reduce(0) { $0 + $1.folded }), through)
        }
        guard isUsual, workers.reduce(0, { $0 + $1.folded }) == through.value else { return nil }
        let whole = whole(workers, categories.names, sorting.chains, plan.catalogue, by: pool)
        guard let whole else { return nil }
        // The streams of cursors, and the events that move them, change one table.
        let ofCursors = positions(of: CursorEvent.category.bytes, categories.names, sorting.chains)
        if !ofCursors.isEmpty {
            let all = Array(Set(ofCursors + sorting.moving)).sorted()
            whole.add(try cursors(log, at: all), [StreamTables.cursors, StreamTables.parkedEvents])
        }
        return (whole, positions(of: Array(DeclaredModel.category.utf8), categories.names, sorting.chains))
    }

    /// Returns the cursors that the events at some positions make.
    private static func cursors(_ log: LMDBEventLog, at positions: [Position]) throws(StorageError) -> MemoryModelStore
    {
        let store = MemoryModelStore()
        let cursors = CursorTable(store, json: JSONObjectReader())
        var failure: StorageError?
        try log.records(at: positions) { record in
            do throws(StorageError) { try cursors.fold(record) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        return store
    }

    /// Returns the positions of the events of a category.
    private static func positions(
        of name: [UInt8], _ categories: [CategoryName], _ chains: EventChains
    ) -> [Position] {
        guard let index = categories.firstIndex(where: { $0.bytes == name }) else { return [] }
        return (1...chains.through.value).filter { chains.category(at: $0) == index + 1 }.map { Position($0) }
    }

    /// Returns the sum of the workers' digests and of the tables that span streams; nil when two streams have one
    /// unique text, or the types cannot be added.
    private static func whole(
        _ workers: [ReplayWorker], _ categories: [CategoryName], _ chains: EventChains, _ catalogue: Catalogue,
        by pool: ThreadPool
    ) -> StreamDigests? {
        let (whole, between) = (StreamDigests(catalogue), StreamDigests(catalogue))
        let streams = workers.reduce(0) { $0 + $1.streams }
        let isUsual = pool.share(2) { _, piece in
            guard piece == 0 else {
                return foldCategories(categories, chains, streams: streams, into: between)
                    && addTypes(workers, to: between)
            }
            for worker in workers {
                whole.absorb(worker.digests)
                whole.add(worker.keys, [StreamTables.keys])
            }
            whole.close()
            return whole.hasDistinctTexts
        }
        guard isUsual else { return nil }
        whole.absorb(between)
        return whole
    }

    /// Adds the tallies of types that the workers made; false when a store fails.
    private static func addTypes(_ workers: [ReplayWorker], to sink: StreamDigests) -> Bool {
        let store = MemoryModelStore()
        var types = TypeIndex(store)
        do throws(StorageError) {
            for worker in workers { try types.merge(worker.types) }
        } catch {
            return false
        }
        sink.add(store, [StreamTables.types])
        return true
    }

    /// Folds the positions of the events of each category; false when the sink fails.
    private static func foldCategories(
        _ categories: [CategoryName], _ chains: EventChains, streams: UInt64, into sink: StreamDigests
    ) -> Bool {
        let positions = CategoryFold(sink, categories: categories.count)
        do throws(StorageError) {
            for position in 0..<chains.through.value {
                try positions.fold(position + 1, category: chains.category(at: position + 1))
            }
            try positions.end(names: categories.map(\.bytes), streams: streams)
        } catch {
            return false
        }
        return true
    }
}
