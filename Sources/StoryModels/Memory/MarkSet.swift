/// A set of marks of keys (`ModelDigest.mark`): few at first, where looking at all of them is quickest.
struct MarkSet {
    private static let few = 32

    private var first: [UInt64] = []
    private var many: Set<UInt64> = []

    var isEmpty: Bool { first.isEmpty && many.isEmpty }

    /// False when it is there already.
    mutating func insert(_ mark: UInt64) -> Bool {
        guard !first.contains(mark), !many.contains(mark) else { return false }
        if first.count < MarkSet.few { first.append(mark) } else { many.insert(mark) }
        return true
    }

    /// False when it is not there.
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

    /// True when no mark is there twice.
    static func areDistinct(_ marks: [UInt64]) -> Bool {
        var slots = [UInt64](repeating: 0, count: 16)
        while slots.count < marks.count * 2 { slots += slots }
        let mask = slots.count - 1
        for mark in marks {
            // Zero says that a slot is free.
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
