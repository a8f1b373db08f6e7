import StoryClient

import struct FoundationEssentials.Date

/// An event of a row's history, as one line.
struct HistoryLine: Hashable, Sendable {
    let version: UInt64
    let position: UInt64
    let type: String
    let time: Date
    /// The beginning of the event's data.
    let data: String
}

/// A row at present or at an earlier version.
enum FetchedRow<Content: Hashable & Sendable>: Hashable, Sendable {
    case loading
    case row(Content)
    /// There is or was none; with a sentence.
    case absent(String)

    /// The row; nil if there is none.
    var content: Content? {
        if case .row(let content) = self { content } else { nil }
    }
}

/// An event for the page of a row.
enum PageMessage<Kind: BrowsedKind>: Sendable {
    case changed([RowChange<Kind.Content>])
    /// Consecutive events of the history, and whether the last one is the newest.
    case history([HistoryLine], isNewest: Bool)
    case past(version: UInt64, FetchedRow<Kind.Content>)
    /// The row as it was before the event at a position.
    case earlier(than: UInt64, FetchedRow<Kind.Content>)
    /// The row's stream has another event.
    case stirred
    case failed(String)
}

/// The page of one row: its live state, and its state after each event of its history.
struct PageState<Kind: BrowsedKind>: CoordinatorScreen {
    /// The most events that are kept in memory.
    static var historyLimit: Int { 200 }

    var kind: Kind
    let id: String
    var now: FetchedRow<Kind.Content> = .loading
    /// The version of the slider; nil for the present.
    var version: UInt64?
    /// The row at that version.
    var past: FetchedRow<Kind.Content> = .loading
    /// The events in memory.
    var history: [HistoryLine] = []
    /// The number of events.
    var last: UInt64 = 0
    /// The earlier states that were stepped back to, of a row that is made of several streams.
    var earlier: [Kind.Content] = []
    /// The number of lines of the text above the visible part.
    var scroll = 0

    init(_ kind: Kind, id: String) { (self.kind, self.id) = (kind, id) }

    /// The state that is shown: at the present, at the slider's version, or the earlier one.
    var shown: FetchedRow<Kind.Content> { version == nil ? earlier.last.map { .row($0) } ?? now : past }

    var title: String { kind.name(of: id) }
    var references: [Reference] { shown.content.map { kind.references(of: $0) } ?? [] }

    /// True if the row's past is the events of one stream.
    var hasHistory: Bool { kind.stream(of: id) != nil }
    /// True if the row is made of several streams, and its past is seen state by state.
    var hasEarlier: Bool { !hasHistory && kind.keepsPast }

    /// The row, and its stream if that may have other events than those that change the row.
    var subscriptions: Set<ScreenSubscription<Kind>> {
        guard !kind.changesWithEachEvent, let stream = kind.stream(of: id) else { return [.row(id: id)] }
        return [.row(id: id), .stream(stream)]
    }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step {
        switch message {
        case .appeared: return .command(.history(id: id, around: version), of: kind)
        case .key(let key, let surroundings): return press(key, surroundings)
        case .page(let message): return update(message)
        case .written(let sentence): return .ask(.say(sentence))
        case .described(let kind):
            self.kind = kind
            return .nothing
        case .list, .form, .narrowed, .found: return .nothing
        }
    }

    private mutating func update(_ message: PageMessage<Kind>) -> Step {
        switch message {
        case .changed(let changes): return apply(changes)
        case .history(let entries, let isNewest):
            history = entries
            if isNewest || (entries.last?.version ?? 0) > last { last = entries.last?.version ?? 0 }
            return .nothing
        case .past(let version, let seen):
            if version == self.version { past = seen }
            return .nothing
        case .earlier(let position, let seen):
            guard shown.content?.position == position else { return .nothing }
            switch seen {
            case .row(let row): earlier.append(row)
            case .absent(let sentence): return .ask(.say(sentence))
            case .loading: break
            }
            return .nothing
        case .stirred: return version == nil ? .command(.history(id: id, around: nil), of: kind) : .nothing
        case .failed(let sentence): return .ask(.say(sentence))
        }
    }

    private mutating func apply(_ changes: [RowChange<Kind.Content>]) -> Step {
        let before = now
        for change in changes {
            switch change {
            case .restarted, .caughtUp: break
            case .row(let row, _):
                now = .row(row)
                last = max(last, kind.version(of: row))
            case .absent: now = .absent("there is no \(kind.name(of: id))")
            }
        }
        // The end of the history is shown only beside the present state.
        return now == before || version != nil ? .nothing : .command(.history(id: id, around: nil), of: kind)
    }
}

// Keys on a page.
extension PageState {
    mutating func press(_ key: Key, _ surroundings: Surroundings) -> Step {
        if !hasHistory, [.left, .right, .home, .end].contains(key) { return hasEarlier ? step(key) : .nothing }
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
            // `e` and `d` act on the present row, even if an earlier state is shown.
            if let link = kind.links.first(where: { $0.key == character }) { return .ask(.open(link.destination)) }
            guard let content = ["e", "d"].contains(character) ? now.content : shown.content else { return .nothing }
            return kind.press(character, on: content, in: .init(), by: surroundings.user)
        case .enter, .escape, .backspace, .delete, .tab, .backTab, .control, .alt, .pasted, .unreadable:
            return .nothing
        }
        return .nothing
    }

    /// Moves to the state before the one that is shown, to the one behind it, or to the present.
    private mutating func step(_ key: Key) -> Step {
        scroll = 0
        switch key {
        case .left: return shown.content.map { .command(.earlier(id: id, than: $0.position), of: kind) } ?? .nothing
        case .right: _ = earlier.popLast()
        default: earlier = key == .end ? [] : earlier
        }
        return .nothing
    }

    /// Moves the slider to a version; the newest one is the present.
    private mutating func slide(to wanted: UInt64) -> Step {
        scroll = 0
        let target = max(1, wanted)
        // The last event of a deleted row is its deletion, so there is no row at that version either.
        guard last > 0, target < last else {
            version = nil
            return fill()
        }
        guard target != version else { return .nothing }
        (version, past) = (target, .loading)
        var step = fill()
        step.commands.append(AnyCommand(.past(id: id, version: target), of: kind))
        return step
    }

    /// Requests the events around the slider if they are not in memory.
    private func fill() -> Step {
        let wanted = version ?? last
        let (first, final) = (history.first?.version ?? 0, history.last?.version ?? 0)
        let isThere = first <= max(1, wanted - min(wanted, 5)) && final >= min(last, wanted + 5)
        return isThere && !history.isEmpty ? .nothing : .command(.history(id: id, around: version), of: kind)
    }

    /// The keys of this page and their actions.
    var hints: [(key: String, does: String)] {
        let past = hasHistory || hasEarlier ? [("←→", "past")] : []
        let edit = kind.hasForm(.edit(id: id, version: 0)) ? [("e", "edit")] : []
        return past + [("Esc", "back")] + kind.links.map { (String($0.key), $0.name) }
            + kind.keys.filter { !$0.isForLists }.map { (String($0.key), $0.name) } + edit
    }
}
