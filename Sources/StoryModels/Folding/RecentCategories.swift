import CXXHash
import StoryCore

/// A cache of the newest chunk of each recently met category, so that folding need not look it up for each event.
struct RecentCategories: ~Copyable {
    /// A category and its newest chunk of positions.
    struct Entry {
        let category: UInt64
        /// The first position of the chunk, which is part of its key.
        var first: UInt64 = 0
        /// The number of positions in the chunk; initially that of a full one, so that a category's first event begins
        /// a chunk.
        var count = StreamIndex.positionsPerChunk
        /// The last position of the category; 0 where it has none.
        var last: UInt64 = 0
        /// A copy of the category's name.
        fileprivate var name = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        init(category: UInt64) { self.category = category }
    }

    private static let kept = 32

    /// Allocated by hand to avoid a retain and release for every event.
    private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: RecentCategories.kept)
    private var count = 0
    /// The index that the next entry is written to; once the cache is full, that of the oldest entry.
    private var oldest = 0

    deinit {
        for index in 0..<count { entries[index].name.deallocate() }
        entries.deallocate()
    }

    /// Returns the entry of a category, which may be changed and is valid until the next `add`; nil when it is not
    /// cached.
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

    /// Adds an entry; a full cache evicts its oldest one.
    mutating func add(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> UnsafeMutablePointer<Entry> {
        let place = entries + oldest
        if count == RecentCategories.kept { place.pointee.name.deallocate() } else { count += 1 }
        place.initialize(to: entry)
        place.pointee.name = .allocate(byteCount: name.count, alignment: 1)
        place.pointee.name.copyMemory(from: name)
        oldest = (oldest + 1) % RecentCategories.kept
        return place
    }

    /// Removes all entries.
    mutating func removeAll() {
        for index in 0..<count { entries[index].name.deallocate() }
        (count, oldest) = (0, 0)
    }
}

extension RecentCategories.Entry {
    /// Appends the category's next position; returns true when it begins a new chunk.
    mutating func extend(to position: UInt64) -> Bool {
        let isNew = count >= StreamIndex.positionsPerChunk
        if isNew {
            first = position
            count = 0
        }
        count += 1
        last = position
        return isNew
    }
}
