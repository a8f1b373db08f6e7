/// The part of a long list that is in memory: consecutive pages.
struct Window<Row: Hashable & Sendable>: Equatable, Sendable {
    /// The most rows that are kept.
    static var limit: Int { 500 }
    /// The number of rows that a page is requested with.
    static var pageSize: Int { 100 }

    /// A page that is in memory.
    private struct Part: Hashable, Sendable {
        /// The store's `next` that this page was requested with; nil for the first page.
        let after: String?
        var count: Int
    }

    private(set) var rows: [Row] = []
    private var parts: [Part] = []
    /// The cursors of the dropped pages above, in order.
    private var above: [String?] = []
    /// The cursor of the page below; nil at the end of the list.
    private(set) var next: String?

    var hasMoreAbove: Bool { !above.isEmpty }
    /// The cursor of the page above.
    var previous: String? { above.last ?? nil }
    /// The cursor of the first page in memory.
    var start: String? { parts.first?.after }

    /// Replaces all rows by one page, which begins at the same row of the list.
    mutating func replace(_ rows: [Row], next: String?) {
        let start = start
        self.rows = Array(rows.prefix(Window.limit))
        parts = [Part(after: start, count: self.rows.count)]
        self.next = next
    }

    /// Appends the page below, and drops pages above that exceed the limit.
    mutating func append(_ page: [Row], next: String?) {
        parts.append(Part(after: self.next, count: page.count))
        rows += page
        self.next = next
        while rows.count > Window.limit, parts.count > 1 {
            let part = parts.removeFirst()
            rows.removeFirst(part.count)
            above.append(part.after)
        }
    }

    /// Prepends the page above, and drops pages below that exceed the limit.
    mutating func prepend(_ page: [Row]) {
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

    mutating func update(_ row: Row, at index: Int) { rows[index] = row }

    /// Inserts a row at an index; returns false if a row had to be dropped: the list must be requested again.
    mutating func insert(_ row: Row, at index: Int) -> Bool {
        if parts.isEmpty { parts = [Part(after: nil, count: 0)] }
        parts[part(at: index)].count += 1
        rows.insert(row, at: index)
        forgetBelow()
        guard rows.count > Window.limit else { return true }
        rows.removeLast()
        parts[parts.count - 1].count -= 1
        return false
    }

    mutating func remove(at index: Int) {
        let part = part(at: index)
        rows.remove(at: index)
        parts[part].count -= 1
    }

    /// Returns the page of an index; the last one for the index behind all rows.
    private func part(at index: Int) -> Int {
        var end = 0
        for (number, part) in parts.enumerated() {
            end += part.count
            if index < end { return number }
        }
        return parts.count - 1
    }
}
