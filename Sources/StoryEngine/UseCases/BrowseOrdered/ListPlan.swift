import StoryCore
import StoryModels

/// How a list is found: along an index in its order, or from the few rows that a filter leaves, sorted here.
struct ListPlan {
    /// A part of an index whose rows come in the order of the list.
    struct Path {
        let index: Index
        /// What the keys begin with.
        let prefix: [UInt8]
        /// How many of those bytes stand before the sort key.
        let prefixCount: Int
        /// The keys that it goes over.
        let range: KeyRange
        /// What the path does not see to itself.
        let rest: [Filter]

        /// True when the number of its rows is kept.
        var isCounted: Bool { index.isCounted && prefix.count == prefixCount && !isBounded }
        /// True when it goes over a part of the keys that begin with its prefix.
        var isBounded: Bool { range != KeyRange(prefix: prefix) }
    }

    /// The index in the order of the list that leaves the least to check.
    static func ordered(_ query: ListQuery, _ indexes: [Index]) -> Path? {
        indexes.filter { $0.sort == query.sort }.compactMap { path($0, query.filters) }
            .min { ($0.rest.count, -$0.prefix.count) < ($1.rest.count, -$1.prefix.count) }
    }

    /// The index that narrows most, whatever its order; one with a kept count where there is a choice.
    static func narrowest(_ filters: [Filter], _ indexes: [Index]) -> Path? {
        func cost(_ path: Path) -> (Int, Int, Int) { (path.rest.count, -path.prefix.count, path.isCounted ? 0 : 1) }
        return indexes.compactMap { path($0, filters) }.min { cost($0) < cost($1) }
    }

    /// The index that keeps the number of the rows that all filters leave; nil where none does.
    static func counted(_ filters: [Filter], _ indexes: [Index]) -> Path? {
        indexes.compactMap { path($0, filters) }.first { $0.rest.isEmpty && $0.isCounted }
    }

    /// Nil when the index wants a filter that is not there.
    private static func path(_ index: Index, _ filters: [Filter]) -> Path? {
        var key = KeyWriter()
        var rest = filters
        for name in index.filters {
            guard let filter = given(name, filters), filter.write(to: &key) else { return nil }
            rest.removeAll { $0.name == name }
            // Of a conversation made of sender and recipient, what is from the one is to the other.
            if name == .between, !filters.contains(filter) { rest.removeAll { $0.name == .recipient } }
        }
        let prefixCount = key.bytes.count
        // A list of one sender's stories by sender is a part of all stories by sender.
        if let name = index.sort.filter, let filter = filters.first(where: { $0.name == name }), rest.contains(filter) {
            _ = filter.write(to: &key)
            rest.removeAll { $0 == filter }
        }
        let range = range(key.bytes, index.sort, &rest)
        return Path(index: index, prefix: key.bytes, prefixCount: prefixCount, range: range, rest: rest)
    }

    /// The keys behind a prefix; where they go by date, only those between the bounds, which `rest` then has no more.
    private static func range(_ prefix: [UInt8], _ sort: SortKey, _ rest: inout [Filter]) -> KeyRange {
        var range = KeyRange(prefix: prefix)
        guard sort == .date else { return range }
        for filter in rest {
            switch filter {
            case .since(let time): range.lower = prefix + key(time)
            case .until(let time): range.upper = prefix + key(time)
            case .sender, .recipient, .owner, .story, .between, .prefecture, .email, .unseen: continue
            }
        }
        rest.removeAll { $0.name == .since || $0.name == .until }
        if let upper = range.upper, upper.lexicographicallyPrecedes(range.lower) { range.upper = range.lower }
        return range
    }

    private static func key(_ time: Instant) -> [UInt8] {
        var key = KeyWriter()
        key.date(time)
        return key.bytes
    }

    /// The filter of a name; sender and recipient together also give the conversation between the two.
    private static func given(_ name: FilterName, _ filters: [Filter]) -> Filter? {
        if let filter = filters.first(where: { $0.name == name }) { return filter }
        guard name == .between else { return nil }
        var sender: Identifier?
        var recipient: Identifier?
        for filter in filters {
            if case .sender(let id) = filter { sender = id }
            if case .recipient(let id) = filter { recipient = id }
        }
        guard let sender, let recipient else { return nil }
        return .between(sender, recipient)
    }
}
