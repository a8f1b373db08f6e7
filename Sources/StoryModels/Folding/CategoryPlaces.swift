import StoryCore

/// Where the next event of a category goes, for the categories that were met last, so that folding does not look it up
/// for each event.
final class CategoryPlaces {
    /// A category and its newest entry of positions.
    struct Place {
        let name: [UInt8]
        let category: UInt64
        /// The first position of the entry; an entry is named by it.
        var first: UInt64
        /// How many positions the entry has.
        var count: UInt64
    }

    private static let kept = 32

    private var recent: [Place] = []

    /// The entry that the event at a position goes into; `find` is asked where the category is not among the last ones.
    func place(
        of stream: UnsafeRawBufferPointer, _ categoryCount: Int, at position: UInt64, find: () -> Place
    ) -> (category: UInt64, first: UInt64) {
        let index = known(stream, categoryCount) ?? add(find())
        if recent[index].count >= StreamsModel.chunk {
            recent[index].first = position
            recent[index].count = 0
        }
        recent[index].count += 1
        return (recent[index].category, recent[index].first)
    }

    private func known(_ stream: UnsafeRawBufferPointer, _ categoryCount: Int) -> Int? {
        for index in recent.indices where recent[index].name.count == categoryCount {
            if stream.starts(with: recent[index].name) { return index }
        }
        return nil
    }

    private func add(_ place: Place) -> Int {
        if recent.count == CategoryPlaces.kept { recent.removeFirst() }
        recent.append(place)
        return recent.count - 1
    }
}
