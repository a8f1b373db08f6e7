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
        _ log: LMDBEventLog, through: Position, progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> StreamDigests? {
        let crew = Crew()
        guard let sorting = try LogSorting.sort(log, through: through, by: crew) else { return nil }
        defer { sorting.close() }
        let categories = sorting.categories()
        let hands = (0..<crew.count).map { Hand(sorting.chains, categories.numbers, $0, of: crew.count) }
        let streams = Int(through.value)
        let pieces = (streams + piece - 1) / piece
        let isUsual = crew.share(pieces + crew.count) { member, index in
            if index >= pieces { return hands[index - pieces].foldKeys(sorting) }
            let first = index * piece + 1
            return hands[member].fold(first...min(first + piece - 1, streams))
        } meanwhile: {
            progress(Position(hands.reduce(0) { $0 + $1.folded }), through)
        }
        guard isUsual, hands.reduce(0, { $0 + $1.folded }) == through.value else { return nil }
        let whole = StreamDigests()
        for hand in hands {
            whole.absorb(hand.digests)
            whole.add(hand.keys, [.keys])
        }
        let named = MemoryModelStore()
        for name in categories.names { _ = StreamsModel.numbered(name, in: named) }
        let count = hands.reduce(0) { $0 + $1.streams }
        if count > 0 { StreamsModel.putCount(of: StreamNumber(count), in: named) }
        whole.add(named, [.categories])
        var places = CategoryProjector(whole, categories: categories.names.count)
        for position in 0..<through.value {
            places.fold(position + 1, category: sorting.chains.category(at: position + 1))
        }
        places.end()
        whole.close()
        return whole.hasDistinctEmails ? whole : nil
    }
}
