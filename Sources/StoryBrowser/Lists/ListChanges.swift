import StoryClient

// What live changes do to a list that has the newest rows first.
extension ListState {
    mutating func apply(_ changes: [ListChange<Content>]) -> Step<Kind> {
        guard query.isNewestFirst else { return .nothing }
        let id = selection?.id
        var fits = true
        for change in changes {
            switch change {
            case .restarted: told = []
            case .row(let row, _):
                told?.insert(row.id)
                fits = take(row) && fits
            case .removed(let id, _): drop { $0 == id }
            case .caughtUp:
                // What was not told of has left meanwhile.
                if let told { drop { !told.contains($0) } }
                told = nil
            }
        }
        select(id)
        return fits ? wanted() : restart()
    }

    private mutating func drop(where isGone: (String) -> Bool) {
        for index in window.rows.indices.reversed() where isGone(window.rows[index].id) {
            window.remove(at: index)
        }
    }

    /// Takes in a row as it is now. False where there are too many.
    private mutating func take(_ row: Content) -> Bool {
        if let index = window.rows.firstIndex(where: { $0.id == row.id }) {
            // What was listed may be newer than what is told.
            if window.rows[index].position <= row.position { window.update(row, at: index) }
            return true
        }
        let date = Kind.date(of: row)
        let index = window.rows.firstIndex { Kind.date(of: $0) <= date } ?? window.rows.count
        // What belongs above or below what is in memory comes with its page.
        if index == 0, window.hasMoreAbove { return true }
        if index == window.rows.count, window.next != nil { return true }
        if told == nil { arrived.insert(row.id) }
        return window.insert(row, at: index)
    }
}
