import StoryFold
import StoryCore
import StoryStorage

/// A writer of put and removed keys into a stored set, block by block.
struct KeySetWriter: ~Copyable {
    /// The most changes that are merged into one block at once; the rest go to the blocks that result.
    static let maxChanges = 4_096

    /// The key that the block is stored at; empty where there is no block.
    private var blockKey = KeyBuffer()
    /// The key of the block after it; empty where there is none.
    private var next = KeyBuffer()
    /// The keys of one segment before and after the changes.
    private var old = KeyList()
    private var merged = KeyList()
    private var segments = KeySegments()
    private var block = KeyBuffer(capacity: KeyBlock.capacity)

    /// Writes the changes of one block.
    ///
    /// - Parameters:
    ///   - items: the changes, in the order of their keys.
    ///   - start: the index of the first change to write.
    /// - Returns: the index of the first change that is left, and the number of blocks that were written.
    /// - Throws: any error of LMDB; `corrupt` where the block is damaged.
    mutating func write(
        _ items: [SortedKey], from start: Int, _ buffer: Memtable, _ cursor: borrowing WriteCursor
    ) throws(StorageError) -> (next: Int, blocks: Int) {
        let stored = try find(buffer.key(items[start]), cursor)
        var end = start + 1
        while end < items.count, end - start < KeySetWriter.maxChanges,
            next.count == 0 || buffer.key(items[end]).compare(next.bytes) < 0
        { end += 1 }
        segments.clear()
        guard let grown = try merge(items[start..<end], buffer, stored) else { return (end, 0) }
        let stays = segments.count > 0 ? try KeyBlock.firstKey(of: segments[0]).equals(blockKey.bytes) : false
        if blockKey.count > 0, !stays { try cursor.remove(blockKey.bytes) }
        return (end, try put(grown, cursor))
    }

    /// Finds the block of a key, and the first key of the block after it; returns nil where there is no block.
    private mutating func find(
        _ key: UnsafeRawBufferPointer, _ cursor: borrowing WriteCursor
    ) throws(StorageError) -> KeyBlock? {
        blockKey.clear()
        next.clear()
        guard let entry = try cursor.seek(atOrBefore: key) else { return nil }
        blockKey.set(entry.key)
        if let following = try cursor.next() { next.set(following.key) }
        return try KeyBlock(entry.value)
    }

    /// The way a block grew.
    private enum Growth {
        /// By keys that are not in one run.
        case scattered
        /// By several adjacent keys, which end where segment `end` begins.
        case run(end: Int)
    }

    /// Builds the new segments: those without a change are copied, the others are encoded again; returns nil where
    /// nothing changes.
    private mutating func merge(
        _ items: ArraySlice<SortedKey>, _ buffer: Memtable, _ stored: KeyBlock?
    ) throws(StorageError) -> Growth? {
        guard let stored else {
            old.clear()
            let merge = merge(items, buffer)
            segments.add(merged, 0..<merged.count)
            return merge.isChange ? .run(end: segments.count) : nil
        }
        var isChanged = false
        var growth = Growth.scattered
        var from = items.startIndex
        for index in 0..<stored.segmentCount {
            let end = index + 1 < stored.segmentCount ? try stored.firstKey(of: index + 1) : nil
            let first = from
            while from < items.endIndex, end.map({ buffer.key(items[from]).compare($0) < 0 }) ?? true {
                from += 1
            }
            guard first < from else {
                segments.add(written: try stored.segment(index))
                continue
            }
            try stored.decode(index, into: &old)
            let merge = merge(items[first..<from], buffer)
            isChanged = isChanged || merge.isChange
            if let run = merge.run, first == items.startIndex, from == items.endIndex {
                segments.add(merged, 0..<run)
                growth = .run(end: segments.count)
                segments.add(merged, run..<merged.count)
            } else {
                segments.add(merged, 0..<merged.count)
            }
        }
        return isChanged ? growth : nil
    }

    /// Merges changes with the keys that were there.
    ///
    /// - Returns: whether anything changes; and the index at which the added keys end, where several are adjacent.
    private mutating func merge(
        _ items: ArraySlice<SortedKey>, _ buffer: Memtable
    ) -> (isChange: Bool, run: Int?) {
        merged.clear()
        var (added, removed) = (0, 0)
        var firstAdded = 0
        var isRun = true
        var from = 0
        for index in items.indices {
            let key = buffer.key(items[index])
            while from < old.count, old[from].compare(key) < 0 {
                merged.add(old[from])
                from += 1
            }
            let isThere = from < old.count && old[from].equals(key)
            if isThere { from += 1 }
            guard let value = buffer.value(Int(items[index].index)) else {
                if isThere { removed += 1 }
                continue
            }
            precondition(value.isEmpty, "a value of \(value.count) bytes in a set")
            if !isThere {
                if added == 0 { firstAdded = merged.count }
                isRun = isRun && merged.count == firstAdded + added
                added += 1
            }
            merged.add(key)
        }
        while from < old.count {
            merged.add(old[from])
            from += 1
        }
        return (added + removed > 0, isRun && added > 1 ? firstAdded + added : nil)
    }

    /// Writes the segments as blocks and returns their number.
    ///
    /// Where a run of adjacent keys was added, more will follow: the block is cut after the run, so that the part
    /// before stays full and later keys are added at an end. Otherwise it is cut into even parts, each with room for
    /// more.
    private mutating func put(_ growth: Growth, _ cursor: borrowing WriteCursor) throws(StorageError) -> Int {
        var size = 2
        for index in 0..<segments.count { size += segments[index].count + 2 }
        let parts = (size + KeyBlock.capacity - 1) / KeyBlock.capacity
        var limit = KeyBlock.capacity
        var cut = segments.count
        switch growth {
        case .run(let end): if parts > 1 { cut = end }
        case .scattered: limit = parts > 1 ? size / parts + 1 : KeyBlock.capacity
        }
        var blocks = 0
        var first = 0
        var filled = 2
        for index in 0..<segments.count {
            let count = segments[index].count + 2
            let isFull: Bool =
                switch growth {
                case .run: filled + count > limit
                // Even parts: the segment that fills a part still belongs to it.
                case .scattered: filled >= limit || filled + count > KeyBlock.capacity
                }
            if index > first, index == cut || isFull {
                try put(first..<index, cursor)
                (first, filled) = (index, 2)
                blocks += 1
            }
            filled += count
        }
        guard first < segments.count else { return blocks }
        try put(first..<segments.count, cursor)
        return blocks + 1
    }

    private mutating func put(_ range: Range<Int>, _ cursor: borrowing WriteCursor) throws(StorageError) {
        segments.write(range, to: &block)
        try cursor.put(block.bytes, at: KeyBlock.firstKey(of: segments[range.lowerBound]))
    }
}

extension Memtable {
    /// Returns the key of a sorted entry.
    fileprivate func key(_ item: SortedKey) -> UnsafeRawBufferPointer { key(Int(item.index)) }
}
