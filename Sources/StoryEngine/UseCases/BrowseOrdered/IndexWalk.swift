import StoryCore
import StoryFold

/// A scan of a part of a table, in ascending or descending order of keys.
struct IndexWalk {
    let store: any TableStore
    let table: ModelTable
    /// The first key of the part, and the first one behind it; nil means no end.
    let lower: [UInt8]
    let upper: [UInt8]?

    /// Visits keys until `visit` returns false or throws; `after` is the last key that was visited before.
    ///
    /// - Throws: the error of the read, or that of `visit`.
    func keys(
        _ order: Order, after: [UInt8]?, _ visit: (UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try entries(order, after: after) { (key, _) throws(StorageError) in try visit(key) }
    }

    /// Visits keys and values like `keys`.
    ///
    /// - Throws: the error of the read, or that of `visit`.
    func entries(
        _ order: Order, after: [UInt8]?,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let (lower, upper) = part(order, after: after)
        try KeyBounds.with(lower, upper) { (bounds) throws(StorageError) in
            try store.visit(table.number, in: bounds, order: order, visit)
        }
    }

    /// Returns the rest of the part; clamped, so that a forged key does not leave it.
    private func part(_ order: Order, after: [UInt8]?) -> (lower: [UInt8], upper: [UInt8]?) {
        var (lower, upper) = (lower, upper)
        switch (order, after) {
        case (_, nil): break
        case (.ascending, let after?): lower = lower.greatest(after + [0])
        case (.descending, let after?): upper = upper.least(after)
        }
        return (lower, upper.map { lower.greatest($0) })
    }
}

extension IndexWalk {
    /// Creates a scan of a range of a kind's rows.
    init(_ range: IndexRange, of schema: KindSchema, in world: World) {
        self.init(
            store: world.rows(of: schema).store, table: range.table, lower: range.lower, upper: range.upper)
    }
}

extension UnsafeRawBufferPointer {
    /// The number at the end of an index key; nil if the key is too short for one.
    var lastNumber: UInt64? { count >= 6 ? sixByteNumber(at: count - 6) : nil }
}
