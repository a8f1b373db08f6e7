import StoryCore
import StoryModels

/// Walks a part of an index in the order that lists have: by sort key, and rows with equal keys as they were posted,
/// whichever way the sort keys go.
struct IndexWalk {
    let store: any ModelStore
    let table: Table
    /// What every key begins with.
    let prefix: [UInt8]

    /// Visits keys until `visit` answers false; `after` is the last key that was visited before.
    func keys(_ order: Order, after: [UInt8]?, _ visit: ([UInt8]) -> Bool) {
        switch order {
        case .ascending:
            let lower = after.map { $0 + [0] } ?? prefix
            store.scan(table, KeyRange(lower: lower, upper: KeyRange.end(of: prefix)), .ascending) { key, _ in
                visit(key)
            }
        case .descending: descend(after: after, visit)
        }
    }

    private func descend(after: [UInt8]?, _ visit: ([UInt8]) -> Bool) {
        var upper = KeyRange.end(of: prefix)
        if let after {
            guard ascendGroup(of: after, from: after + [0], visit) else { return }
            upper = group(after)
        }
        while let next = singles(before: upper, visit) {
            guard ascendGroup(of: next, from: group(next), visit) else { return }
            upper = group(next)
        }
    }

    /// Visits keys downwards as long as no two have one sort key; answers a key of the first group of several, nil
    /// when the walk is over.
    private func singles(before upper: [UInt8]?, _ visit: ([UInt8]) -> Bool) -> [UInt8]? {
        var waiting: [UInt8]?
        var groupKey: [UInt8]?
        var isStopped = false
        store.scan(table, KeyRange(lower: prefix, upper: upper), .descending) { key, _ in
            if let last = waiting {
                if isSameGroup(last, key) {
                    groupKey = key
                    return false
                }
                isStopped = !visit(last)
            }
            waiting = key
            return !isStopped
        }
        if groupKey == nil, !isStopped, let waiting { _ = visit(waiting) }
        return groupKey
    }

    /// Visits the keys of one group upwards; false when the visitor has had enough.
    private func ascendGroup(of key: [UInt8], from lower: [UInt8], _ visit: ([UInt8]) -> Bool) -> Bool {
        var goesOn = true
        store.scan(table, KeyRange(lower: lower, upper: KeyRange.end(of: group(key))), .ascending) { key, _ in
            goesOn = visit(key)
            return goesOn
        }
        return goesOn
    }

    /// Everything before the row's number.
    private func group(_ key: [UInt8]) -> [UInt8] { Array(key.dropLast(KeyWriter.numberCount)) }

    private func isSameGroup(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count
            && left.dropLast(KeyWriter.numberCount).elementsEqual(right.dropLast(KeyWriter.numberCount))
    }
}
