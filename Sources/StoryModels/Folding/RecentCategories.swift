import CXXHash
import StoryCore

/// Where the next event of a category goes, for the categories that were met last, so that folding does not look it up
/// for each event.
struct RecentCategories: ~Copyable {
    /// A category and its newest entry of positions.
    struct Entry {
        let category: UInt64
        /// The first position of the entry; an entry is named by it.
        var first: UInt64 = 0
        /// How many positions the entry has; a category without an entry begins with a full one.
        var count = StreamIndex.chunk
        /// The last position of the category; 0 where it has none.
        var last: UInt64 = 0
        /// A copy of its name.
        fileprivate var name = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        init(category: UInt64) { self.category = category }
    }

    private static let kept = 32

    /// In memory of its own: looked at for every event, so no references are counted there.
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: RecentCategories.kept)
    private var count = 0
    /// Which one makes room for the next when there are as many as are kept.
    private var oldest = 0

    deinit {
        for index in 0..<count { entries[index].name.deallocate() }
        entries.deallocate()
    }

    /// The entry of a category, to be read and changed until the next one is added; nil when it is not kept.
    @inline(__always)
    func find(_ name: UnsafeRawBufferPointer) -> UnsafeMutablePointer<Entry>? {
        for index in 0..<count {
            let known = entries[index].name
            if known.count == name.count, xxhi_equal(known.baseAddress, name.baseAddress, name.count) {
                return entries + index
            }
        }
        return nil
    }

    /// Keeps an entry in place of the one that was added first.
    mutating func add(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> UnsafeMutablePointer<Entry> {
        let place = entries + oldest
        if count == RecentCategories.kept { place.pointee.name.deallocate() } else { count += 1 }
        place.initialize(to: entry)
        place.pointee.name = .allocate(byteCount: name.count, alignment: 1)
        place.pointee.name.copyMemory(from: name)
        oldest = (oldest + 1) % RecentCategories.kept
        return place
    }

    /// Forgets all of them.
    mutating func removeAll() {
        for index in 0..<count { entries[index].name.deallocate() }
        (count, oldest) = (0, 0)
    }
}

extension RecentCategories.Entry {
    /// Takes in the category's next position; true when it begins an entry.
    mutating func extend(to position: UInt64) -> Bool {
        let isNew = count >= StreamIndex.chunk
        if isNew {
            first = position
            count = 0
        }
        count += 1
        last = position
        return isNew
    }
}
