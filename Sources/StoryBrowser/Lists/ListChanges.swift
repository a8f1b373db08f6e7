import StoryClient

// What live changes do to a list that has the newest rows first.
extension ListState {
    mutating func apply(_ changes: [ListChange<Content>]) -> Step<Kind> {
        guard query.isNewestFirst else { return .nothing }
        let id = selection?.id
        var fits = true
        // Where each row is, as long as none came or went.
        var indexes: [String: Int] = [:]
        for change in changes {
            switch change {
            case .restarted: told = []
            case .row(let row, _):
                told?.insert(row.id)
                if indexes.count != window.rows.count { indexes = self.indexes }
                if let index = indexes[row.id] {
                    // What was listed may be newer than what is told.
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
                // What was not told of has left meanwhile, but for what the list knows from later on.
                if let told { drop { !told.contains($0.id) && $0.position <= position } }
                (told, indexes) = (nil, [:])
            }
        }
        select(id)
        return fits ? wanted() : shorten()
    }

    /// Takes in what was told before an answer came that is older.
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

    /// Where a row belongs that is not in memory; nil where that is above or below what is: it comes with its page.
    private func indexToInsert(_ row: Content) -> Int? {
        // It was there when the list was asked for, and is not in the part that was given.
        guard row.position > base else { return nil }
        let date = row.date
        let index = window.rows.firstIndex { $0.date <= date } ?? window.rows.count
        if index == 0, window.hasMoreAbove { return nil }
        guard window.next != nil, let last = window.rows.last else { return index }
        // Of rows with the date of the last one, those that are new stand first; others may belong below.
        let isAbove = last.date < date || (last.date == date && row.version == 1)
        return isAbove ? index : nil
    }
}
