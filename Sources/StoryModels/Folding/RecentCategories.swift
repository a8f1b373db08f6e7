import StoryCore

/// Where the next event of a category goes, for the categories that were met last, so that folding does not look it up
/// for each event.
struct RecentCategories {
    /// A category and its newest entry of positions.
    struct Entry {
        let name: [UInt8]
        let category: UInt64
        /// The first position of the entry; an entry is named by it.
        var first: UInt64 = 0
        /// How many positions the entry has; a category without an entry begins with a full one.
        var count = StreamIndex.chunk
        /// The last position of the category; 0 where it has none.
        var last: UInt64 = 0
    }

    private static let kept = 32

    private var entries: [Entry] = []

    func index(of name: UnsafeRawBufferPointer) -> Int? {
        for index in entries.indices where entries[index].name.equals(name) { return index }
        return nil
    }

    func category(_ index: Int) -> UInt64 { entries[index].category }
    func first(_ index: Int) -> UInt64 { entries[index].first }
    func last(_ index: Int) -> UInt64 { entries[index].last }

    mutating func add(_ entry: Entry) -> Int {
        if entries.count == RecentCategories.kept { entries.removeFirst() }
        entries.append(entry)
        return entries.count - 1
    }

    /// Takes in the category's next position; true when it begins an entry.
    mutating func extend(_ index: Int, to position: UInt64) -> Bool {
        let isNew = entries[index].count >= StreamIndex.chunk
        if isNew {
            entries[index].first = position
            entries[index].count = 0
        }
        entries[index].count += 1
        entries[index].last = position
        return isNew
    }
}
