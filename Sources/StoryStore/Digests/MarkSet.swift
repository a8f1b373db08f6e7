/// A set of marks of keys (`ModelDigest.mark`); the first 32 are in an array, where a linear search is fastest.
struct MarkSet {
    private static let few = 32

    private var first: [UInt64] = []
    private var many: Set<UInt64> = []

    /// Inserts a mark; returns false when it is there already.
    mutating func insert(_ mark: UInt64) -> Bool {
        guard !first.contains(mark), !many.contains(mark) else { return false }
        if first.count < MarkSet.few { first.append(mark) } else { many.insert(mark) }
        return true
    }

    /// Removes a mark; returns false when it is not there.
    mutating func remove(_ mark: UInt64) -> Bool {
        guard let index = first.firstIndex(of: mark) else { return many.remove(mark) != nil }
        first.swapAt(index, first.count - 1)
        first.removeLast()
        return true
    }

    mutating func clear() {
        if !first.isEmpty { first.removeAll(keepingCapacity: true) }
        if !many.isEmpty { many.removeAll() }
    }

    /// Returns whether all marks are different.
    static func areDistinct(_ marks: [UInt64]) -> Bool {
        var slots = [UInt64](repeating: 0, count: 16)
        while slots.count < marks.count * 2 { slots += slots }
        let mask = slots.count - 1
        for mark in marks {
            // Zero marks a free slot.
            let mark = max(mark, 1)
            var slot = Int(truncatingIfNeeded: mark) & mask
            while slots[slot] != 0 {
                if slots[slot] == mark { return false }
                slot = (slot + 1) & mask
            }
            slots[slot] = mark
        }
        return true
    }
}
