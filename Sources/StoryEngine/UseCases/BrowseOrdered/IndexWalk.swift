import StoryCore
import StoryModels

/// Walks a part of a table, from its first key to its last or the other way.
struct IndexWalk {
    let store: any TableStore
    let table: ModelTable
    /// The first key of the part, and the first one behind it; nil: without end.
    let lower: [UInt8]
    let upper: [UInt8]?

    /// Visits keys until `visit` returns false; `after` is the last key that was visited before.
    ///
    /// - Throws: what reading failed with.
    func keys(
        _ order: Order, after: [UInt8]?, _ visit: (UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try entries(order, after: after) { key, _ in visit(key) }
    }

    /// As `keys`, with the values.
    ///
    /// - Throws: what reading failed with.
    func entries(
        _ order: Order, after: [UInt8]?, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        let (lower, upper) = part(order, after: after)
        try KeyBounds.with(lower, upper) { (bounds) throws(StorageError) in
            try store.walk(table.number, bounds, order, visit)
        }
    }

    /// What is left of the part; a key that somebody made up does not lead out of it.
    private func part(_ order: Order, after: [UInt8]?) -> (lower: [UInt8], upper: [UInt8]?) {
        var (lower, upper) = (lower, upper)
        switch (order, after) {
        case (_, nil): break
        case (.ascending, let after?): lower = max(lower, after + [0])
        case (.descending, let after?): upper = min(after, upper)
        }
        return (lower, upper.map { max(lower, $0) })
    }

    private func max(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        left.lexicographicallyPrecedes(right) ? right : left
    }

    /// The first of two, of which nil comes after all.
    private func min(_ left: [UInt8], _ right: [UInt8]?) -> [UInt8] {
        guard let right else { return left }
        return right.lexicographicallyPrecedes(left) ? right : left
    }
}

extension UnsafeRawBufferPointer {
    /// The number that an index's key ends with; nil when it is too short for one.
    var lastNumber: UInt64? { count >= 6 ? sixByteNumber(at: count - 6) : nil }
}
