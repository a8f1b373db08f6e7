package import StoryClient

package import struct FoundationEssentials.Date

/// An event of a row's history, as a line of it.
package struct HistoryEntry: Hashable, Sendable {
    package let version: UInt64
    package let position: UInt64
    package let type: String
    package let time: Date
    package let by: UInt32
    /// The beginning of its data.
    package let data: String

    package init(version: UInt64, position: UInt64, type: String, time: Date, by: UInt32, data: String) {
        (self.version, self.position, self.type) = (version, position, type)
        (self.time, self.by, self.data) = (time, by, data)
    }
}

/// A row as it is, or as it was.
package enum Seen<Content: Hashable & Sendable>: Hashable, Sendable {
    case loading
    case row(Content)
    /// There is none, or was none; a sentence says so.
    case absent(String)

    /// The row, where there is one.
    package var content: Content? {
        if case .row(let content) = self { content } else { nil }
    }
}

/// What can happen to the page of a row.
package enum PageMessage<Kind: BrowsedKind>: Sendable {
    case changed([RowChange<Kind.Content>])
    /// Events of its history one after the other, and whether the last one is the newest.
    case history([HistoryEntry], isNewest: Bool)
    case past(version: UInt64, Seen<Kind.Content>)
    case failed(String)
}

/// The page of one row: as it is now, live, and as it was after each event of its history.
package struct PageState<Kind: BrowsedKind>: Equatable, Sendable {
    /// No more events than this are in memory.
    package static var historyLimit: Int { 200 }

    package let id: String
    package internal(set) var now: Seen<Kind.Content> = .loading
    /// The version that the slider is at; nil: now.
    package internal(set) var version: UInt64?
    /// The row at that version.
    package internal(set) var past: Seen<Kind.Content> = .loading
    package internal(set) var history: [HistoryEntry] = []
    /// How many events there are.
    package internal(set) var last: UInt64 = 0
    /// How many lines of the text are above what is shown.
    var scroll = 0

    init(id: String) { self.id = id }

    /// What is shown: the row as it is, or as it was.
    package var shown: Seen<Kind.Content> { version == nil ? now : past }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step<Kind> {
        switch message {
        case .appeared: return .command(.history(id: id, around: version))
        case .key(let key, let surroundings): return press(key, surroundings)
        case .page(let message): return update(message)
        case .written(let sentence): return .ask(.say(sentence))
        case .list, .form, .narrowed: return .nothing
        }
    }

    private mutating func update(_ message: PageMessage<Kind>) -> Step<Kind> {
        switch message {
        case .changed(let changes): return take(changes)
        case .history(let entries, let isNewest):
            history = entries
            if isNewest || (entries.last?.version ?? 0) > last { last = entries.last?.version ?? 0 }
            return .nothing
        case .past(let version, let seen):
            if version == self.version { past = seen }
            return .nothing
        case .failed(let sentence): return .ask(.say(sentence))
        }
    }

    private mutating func take(_ changes: [RowChange<Kind.Content>]) -> Step<Kind> {
        let before = now
        for change in changes {
            switch change {
            case .restarted, .caughtUp: break
            case .row(let row, _):
                now = .row(row)
                last = max(last, row.version)
            case .absent: now = .absent("there is no \(Kind.category) \(id)")
            }
        }
        // The history's end is shown beside what is now; beside the past it can wait.
        return now == before || version != nil ? .nothing : .command(.history(id: id, around: nil))
    }
}

// What keys do on a page.
extension PageState {
    mutating func press(_ key: Key, _ surroundings: Surroundings) -> Step<Kind> {
        switch key {
        case .left: return slide(to: (version ?? last) - min(version ?? last, 1))
        case .right: return slide(to: (version ?? last) + 1)
        case .home: return slide(to: 1)
        case .end: return slide(to: last)
        case .up, .character("k"): scroll = max(0, scroll - 1)
        case .down, .character("j"): scroll = min(scroll + 1, 10_000)
        case .pageUp: scroll = max(0, scroll - surroundings.height / 2)
        case .pageDown, .character(" "): scroll = min(scroll + surroundings.height / 2, 10_000)
        case .character(let character):
            // What is done is done to the row as it is now.
            guard let content = ["e", "d"].contains(character) ? now.content : shown.content else { return .nothing }
            return RowKeys<Kind>.press(character, content, .init(), surroundings.user)
        case .enter, .escape, .backspace, .delete, .tab, .backTab, .control, .unreadable: return .nothing
        }
        return .nothing
    }

    /// Puts the slider to a version; the newest one is now.
    private mutating func slide(to wanted: UInt64) -> Step<Kind> {
        scroll = 0
        let target = max(1, wanted)
        // Of a row that is gone, the last event took it away.
        guard last > 0, target < last else {
            version = nil
            return fill()
        }
        guard target != version else { return .nothing }
        (version, past) = (target, .loading)
        var step = fill()
        step.commands.append(.past(id: id, version: target))
        return step
    }

    /// Asks for the events around the slider where they are not in memory.
    private func fill() -> Step<Kind> {
        let wanted = version ?? last
        let (first, final) = (history.first?.version ?? 0, history.last?.version ?? 0)
        let isThere = first <= max(1, wanted - min(wanted, 5)) && final >= min(last, wanted + 5)
        return isThere && !history.isEmpty ? .nothing : .command(.history(id: id, around: version))
    }

    /// The keys of this page and what they do.
    var hints: [(key: String, does: String)] {
        [("←→", "past"), ("Esc", "back")] + Kind.keys.map { (String($0.key), $0.name) } + [("e", "edit")]
    }
}
