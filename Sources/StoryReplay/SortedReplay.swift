import StoryCore
import StoryLog
import StoryModels
import StoryWire

/// A replay that folds stream by stream, on as many threads as there are processors, and keeps no entry: digests alone.
enum SortedReplay {
    /// How many streams are folded at once.
    private static let piece = 4_096

    /// The digests of all tables; nil when the log has anything that wants to be folded in order, or is damaged.
    static func fold(
        _ log: LMDBEventLog, _ plan: CataloguePlan, through: Position,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> StreamDigests? {
        let crew = Crew()
        guard let sorting = try LogSorting.sort(log, through: through, by: crew) else { return nil }
        defer { sorting.close() }
        let categories = sorting.categories()
        let workers = (0..<crew.count).map {
            ReplayWorker(CataloguePlan(plan.catalogue.copy()), sorting.chains, categories.numbers, $0, of: crew.count)
        }
        let streams = Int(through.value)
        let pieces = (streams + piece - 1) / piece
        let isUsual = crew.share(pieces + crew.count) { member, index in
            if index >= pieces { return workers[index - pieces].foldKeys(sorting) }
            let first = index * piece + 1
            return workers[member].fold(first...min(first + piece - 1, streams))
        } meanwhile: {
            progress(Position(workers.reduce(0) { $0 + $1.folded }), through)
        }
        guard isUsual, workers.reduce(0, { $0 + $1.folded }) == through.value else { return nil }
        return try whole(workers, categories.names, sorting, plan.catalogue)
    }

    /// What all of them folded, and what stands between streams; nil where two streams have one unique text.
    private static func whole(
        _ workers: [ReplayWorker], _ categories: [CategoryName], _ sorting: LogSorting, _ catalogue: Catalogue
    ) throws(StorageError) -> StreamDigests? {
        let whole = StreamDigests(catalogue)
        for worker in workers {
            whole.absorb(worker.digests)
            whole.add(worker.keys, [StreamTables.keys])
        }
        let positions = CategoryFold(whole, categories: categories.count)
        for position in 0..<sorting.chains.through.value {
            try positions.fold(position + 1, category: sorting.chains.category(at: position + 1))
        }
        try positions.end(names: categories.map(\.bytes), streams: workers.reduce(0) { $0 + $1.streams })
        whole.close()
        return whole.hasDistinctTexts ? whole : nil
    }
}
