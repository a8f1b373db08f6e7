import StoryFold
import StoryCore
import StoryStorage

/// A cursor over a range of one memtable, in either order, run by run.
struct MemtableWalk {
    private let buffer: Memtable
    private let range: KeyBounds
    private let order: Order
    private var run: KeyRun
    private var index = 0
    private var remaining = 0

    /// Creates a cursor at the first entry of the range; nil when the memtable has none.
    init?(_ buffer: Memtable?, _ range: KeyBounds, _ order: Order) {
        guard let buffer else { return nil }
        self.buffer = buffer
        self.range = range
        self.order = order
        run =
            order == .ascending
            ? buffer.order.run(at: range.lower, buffer) : buffer.order.run(before: range.upper, buffer)
        enter()
        if remaining == 0 { return nil }
    }

    /// The key at the cursor; nil at the end.
    @inline(__always)
    var key: UnsafeRawBufferPointer? { remaining > 0 ? buffer.key(entry) : nil }

    /// The value at the cursor; nil for a tombstone.
    @inline(__always)
    var value: UnsafeRawBufferPointer? { buffer.value(entry) }

    @inline(__always)
    mutating func advance() {
        remaining -= 1
        switch order {
        case .ascending: index += 1
        case .descending: index -= 1
        }
        if remaining == 0 { leave() }
    }

    private var entry: Int { Int(run.entries[index]) }

    /// Moves to the first entry of the run that is in the range, or to that of the next run that has one.
    private mutating func enter() {
        let first = KeyRun.lowerBound(range.lower, run.entries, buffer)
        let end = range.upper.map { KeyRun.lowerBound($0, run.entries, buffer) } ?? run.entries.count
        remaining = max(0, end - first)
        index = order == .ascending ? first : end - 1
        if remaining == 0 { leave() }
    }

    /// Moves to the next run, unless the range ends before it.
    private mutating func leave() {
        switch order {
        case .ascending:
            guard let next = run.next.map({ buffer.key(Int($0)) }), isBelowEnd(next) else { return }
            run = buffer.order.run(at: next, buffer)
        case .descending:
            guard let first = run.first.map({ buffer.key(Int($0)) }), first.compare(range.lower) > 0 else {
                return
            }
            run = buffer.order.run(before: first, buffer)
        }
        enter()
    }

    private func isBelowEnd(_ key: UnsafeRawBufferPointer) -> Bool {
        range.upper.map { key.compare($0) < 0 } ?? true
    }
}
