/// The part of a long list that is in memory: some pages of it, one after the other.
package struct Window<Row: Hashable & Sendable>: Equatable, Sendable {
    /// Never more rows than this are kept.
    package static var limit: Int { 500 }
    /// How many rows a page is asked for.
    package static var pageSize: Int { 100 }

    /// A page that is in memory.
    private struct Part: Hashable, Sendable {
        /// What the store gave to go on with for this page; nil for the first one.
        let after: String?
        var count: Int
    }

    package private(set) var rows: [Row] = []
    private var parts: [Part] = []
    /// What the pages above, which are not in memory, went on with.
    private var above: [String?] = []
    /// What the page below goes on with; nil at the end of the list.
    package private(set) var next: String?

    package init() {}

    /// True where there are rows above those in memory.
    package var hasMoreAbove: Bool { !above.isEmpty }
    /// What the page above goes on with.
    package var previous: String? { above.last ?? nil }
    /// What the first page in memory goes on with.
    package var start: String? { parts.first?.after }

    /// Takes one page in place of all that was there, at the same place of the list.
    package mutating func replace(_ rows: [Row], next: String?) {
        let start = start
        self.rows = Array(rows.prefix(Window.limit))
        parts = [Part(after: start, count: self.rows.count)]
        self.next = next
    }

    /// Takes the page below. Where that is too much, pages above are forgotten.
    package mutating func append(_ page: [Row], next: String?) {
        parts.append(Part(after: self.next, count: page.count))
        rows += page
        self.next = next
        while rows.count > Window.limit, parts.count > 1 {
            let part = parts.removeFirst()
            rows.removeFirst(part.count)
            above.append(part.after)
        }
    }

    /// Takes the page above. Where that is too much, pages below are forgotten.
    package mutating func prepend(_ page: [Row]) {
        guard let after = above.popLast() else { return }
        parts.insert(Part(after: after, count: page.count), at: 0)
        rows = page + rows
        forgetBelow()
    }

    private mutating func forgetBelow() {
        while rows.count > Window.limit, parts.count > 1 {
            let part = parts.removeLast()
            rows.removeLast(part.count)
            next = part.after
        }
    }

    /// Changes the row at an index.
    package mutating func update(_ row: Row, at index: Int) { rows[index] = row }

    /// Takes a row in at an index. False where that is more than may be kept: the list is to be asked for again.
    package mutating func insert(_ row: Row, at index: Int) -> Bool {
        if parts.isEmpty { parts = [Part(after: nil, count: 0)] }
        parts[part(at: index)].count += 1
        rows.insert(row, at: index)
        forgetBelow()
        guard rows.count > Window.limit else { return true }
        rows.removeLast()
        parts[parts.count - 1].count -= 1
        return false
    }

    /// Takes the row at an index out.
    package mutating func remove(at index: Int) {
        let part = part(at: index)
        rows.remove(at: index)
        parts[part].count -= 1
    }

    /// The page that holds an index; the last one for the index behind all rows.
    private func part(at index: Int) -> Int {
        var end = 0
        for (number, part) in parts.enumerated() {
            end += part.count
            if index < end { return number }
        }
        return parts.count - 1
    }
}
