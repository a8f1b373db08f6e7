import StoryCore
import StoryModels

/// Walks a part of an index, from its first key to its last or the other way.
struct IndexWalk {
    let store: any ModelStore
    let table: Table
    let range: KeyRange

    /// Visits keys until `visit` returns false; `after` is the last key that was visited before.
    func keys(_ order: Order, after: [UInt8]?, _ visit: (UnsafeRawBufferPointer) -> Bool) {
        store.walk(table, part(order, after: after), order) { key, _ in visit(key) }
    }

    /// What is left of the range; a key that somebody made up does not lead out of it.
    private func part(_ order: Order, after: [UInt8]?) -> KeyRange {
        var part = range
        switch (order, after) {
        case (_, nil): break
        case (.ascending, let after?): part.lower = greater(range.lower, after + [0])
        case (.descending, let after?): part.upper = lesser(after, range.upper)
        }
        if let upper = part.upper { part.upper = greater(part.lower, upper) }
        return part
    }

    private func greater(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        left.lexicographicallyPrecedes(right) ? right : left
    }

    /// The lesser of two, of which nil is greater than all.
    private func lesser(_ left: [UInt8], _ right: [UInt8]?) -> [UInt8] {
        guard let right else { return left }
        return right.lexicographicallyPrecedes(left) ? right : left
    }
}
