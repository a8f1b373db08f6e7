package import StoryCore

/// The names of a log's keys in the ordering service.
package struct LogKeys: Equatable, Sendable {
    /// The name of the log.
    package let log: String

    /// Creates the names of a log's keys.
    package init(log: String) { self.log = log }

    private var base: String { "/storykeep/\(log)/" }

    /// The identity of the log's history; made once.
    package var identity: String { base + "id" }
    /// Everything that followers watch.
    package var live: OrderingRange { .prefix(base + "live/") }
    /// The node that leads.
    package var leader: String { base + "live/leader" }
    /// The node that is to lead.
    package var wish: String { base + "live/wish" }
    /// The nodes of the log.
    package var nodes: String { base + "live/node/" }
    /// The entries of the log.
    package var entries: String { base + "live/log/" }
    private var parts: String { base + "part/" }

    /// The keys of nodes and the wish, which a leader watches.
    package var nodesAndWish: OrderingRange { OrderingRange(from: nodes, end: OrderingRange.endOfPrefix(wish)) }

    /// Returns the key of a node.
    package func node(_ name: String) -> String { nodes + name }

    /// Returns the name of the node of a key; nil for another key.
    package func node(ofKey key: String) -> String? { tail(of: key, nodes) }

    /// Returns the key of the entry that begins at a position.
    package func entry(_ first: Position) -> String { entries + LogKeys.padded(first.value) }

    /// Returns the position that the entry of a key begins at; nil for another key.
    package func first(ofKey key: String) -> Position? {
        tail(of: key, entries).flatMap { UInt64($0) }.map { Position($0) }
    }

    /// Returns the key of a part of an entry's records, which a term wrote.
    package func part(_ number: Int, of first: Position, term: Term) -> String {
        partsOf(first, term: term) + LogKeys.padded(UInt64(number))
    }

    /// Returns the range of some parts of an entry.
    package func parts(from number: Int, count: Int, of first: Position, term: Term) -> OrderingRange {
        OrderingRange(
            from: part(number, of: first, term: term), end: OrderingRange.endOfPrefix(partsOf(first, term: term)),
            limit: count)
    }

    /// Returns the ranges of everything before the entry that begins at a position.
    package func before(_ first: Position) -> [OrderingRange] {
        [
            OrderingRange(from: entries, end: entry(first)),
            OrderingRange(from: parts, end: parts + LogKeys.padded(first.value)),
        ]
    }

    /// Returns the range of the entries from a position on.
    package func entries(from first: Position, limit: Int) -> OrderingRange {
        OrderingRange(from: entry(first), end: OrderingRange.endOfPrefix(entries), limit: limit)
    }

    private func partsOf(_ first: Position, term: Term) -> String {
        parts + LogKeys.padded(first.value) + "/" + LogKeys.padded(UInt64(clamping: term.revision)) + "/"
    }

    private func tail(of key: String, _ prefix: String) -> String? {
        key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
    }

    /// Returns a number as 20 digits, so that keys are in the order of the numbers.
    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }
}

/// A term: the time that one node leads, named by the revision that created the leader's key.
package struct Term: Hashable, Comparable, Sendable {
    package let revision: Int64

    /// Creates a term.
    package init(_ revision: Int64) { self.revision = revision }

    package static func < (left: Term, right: Term) -> Bool { left.revision < right.revision }
}
