import StoryClient

// Live changes of a list that has the newest rows first.
extension ListState {
    mutating func apply(_ changes: [ListChange<Content>]) -> Step {
        guard isNewestFirst else { return .nothing }
        let id = selection?.id
        var fits = true
        // The index of each row, valid until a row is added or removed.
        var indexes: [String: Int] = [:]
        for change in changes {
            switch change {
            case .restarted: told = []
            case .row(let row, _):
                told?.insert(row.id)
                if indexes.count != window.rows.count { indexes = self.indexes }
                if let index = indexes[row.id] {
                    // The listed row may be newer than the pushed one.
                    if window.rows[index].position <= row.position { window.update(row, at: index) }
                } else if let index = indexToInsert(row) {
                    if told == nil { arrived.insert(row.id) }
                    fits = window.insert(row, at: index) && fits
                    indexes = [:]
                }
            case .removed(let id, _):
                arrived.remove(id)
                drop { $0.id == id }
                indexes = [:]
            case .caughtUp(let position):
                // Rows that were not pushed have left, unless the list has them from a later position.
                if let told { drop { !told.contains($0.id) && $0.position <= position } }
                (told, indexes) = (nil, [:])
            }
        }
        select(id)
        return fits ? wanted() : shorten()
    }

    /// Inserts pushed rows that are newer than a page which arrived later.
    mutating func keep(_ rows: [Content]) {
        let listed = Set(window.rows.map(\.id))
        for row in rows.reversed() where !listed.contains(row.id) {
            if let index = indexToInsert(row) { _ = window.insert(row, at: index) }
        }
    }

    private var indexes: [String: Int] {
        Dictionary(window.rows.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func drop(where isGone: (Content) -> Bool) {
        for index in window.rows.indices.reversed() where isGone(window.rows[index]) {
            arrived.remove(window.rows[index].id)
            window.remove(at: index)
        }
    }

    /// Returns the index at which to insert a new row; nil if it comes with a page above or below.
    private func indexToInsert(_ row: Content) -> Int? {
        // Older rows were there when the list was read, and are not in this part.
        guard row.position > base else { return nil }
        let date = kind.date(of: row)
        let index = window.rows.firstIndex { kind.date(of: $0) <= date } ?? window.rows.count
        if index == 0, window.hasMoreAbove { return nil }
        guard window.next != nil, let last = window.rows.last else { return index }
        // New rows come first among those with the date of the last one; others may belong below.
        let end = kind.date(of: last)
        let isAbove = end < date || (end == date && kind.version(of: row) == 1)
        return isAbove ? index : nil
    }
}
