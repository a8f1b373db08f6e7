package import StoryClient

import struct FoundationEssentials.Date

/// What a list is asked for with.
package struct ListQuery<Kind: BrowsedKind>: Hashable, Sendable {
    package var filter: Kind.Content.Filter
    package var sort: Kind.Content.Sort
    package var order: Order

    /// True where what arrives stands at the top.
    var isNewestFirst: Bool { sort == Kind.byDate && order == .descending }
}

/// Which part of a list is asked for.
package struct ListRequest<Kind: BrowsedKind>: Hashable, Sendable {
    /// What becomes of the part.
    package enum Part: Hashable, Sendable { case whole, below, above }

    package let query: ListQuery<Kind>
    package let part: Part
    package let after: String?
    package let limit: Int
    /// Tells the answers to the query of now from those to earlier ones.
    package let number: Int
}

/// What can happen to a list.
package enum ListMessage<Kind: BrowsedKind>: Sendable {
    case loaded(ListRequest<Kind>, Page<Kind.Content>)
    case failed(ListRequest<Kind>, String)
    /// Changes of its rows, in their order.
    case changed([ListChange<Kind.Content>])
    /// Something happened to some row.
    case stirred
}

/// A list of rows: what is in memory of it, and which row is selected.
package struct ListState<Kind: BrowsedKind>: Equatable, Sendable {
    package typealias Content = Kind.Content

    /// How far the asking is.
    package enum Phase: Hashable, Sendable {
        case loading(ListRequest<Kind>.Part)
        case ready
        case failed(String)
    }

    package internal(set) var query: ListQuery<Kind>
    package internal(set) var window = Window<Content>()
    package internal(set) var selected = 0
    package internal(set) var phase: Phase = .ready
    /// The IDs of those that arrived while the list was shown, until they are selected.
    package internal(set) var arrived: Set<String> = []
    /// Goes up with each query.
    var number = 0
    /// True where the list has to be asked for again once the answer under way is there.
    var isStale = false
    /// The position that what is in memory rests on: what happened later may have changed which rows there are.
    var base: UInt64 = 0
    /// False before the first page is there.
    var isLoaded = false
    /// The IDs told since listening began; nil once all that is there was told.
    var told: Set<String>? = []

    init(_ filter: Content.Filter) {
        query = ListQuery(filter: filter, sort: Kind.byDate, order: Kind.order(of: Kind.byDate))
    }

    /// The row that is selected; nil in an empty list.
    package var selection: Content? { window.rows.indices.contains(selected) ? window.rows[selected] : nil }

    /// The IDs of the users whom rows on the screen, or near it, refer to.
    var people: [String] {
        let near = max(0, selected - 60)..<min(window.rows.count, max(0, selected) + 60)
        return near.isEmpty ? [] : window.rows[near].flatMap { Kind.people(of: $0) }
    }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step<Kind> {
        switch message {
        case .appeared:
            told = []
            return reload()
        case .key(let key, let surroundings): return press(key, surroundings)
        case .list(let message): return update(message)
        case .narrowed(let filter):
            query.filter = filter
            return restart()
        case .written(let sentence): return .ask(.say(sentence))
        case .page, .form: return .nothing
        }
    }

    private mutating func update(_ message: ListMessage<Kind>) -> Step<Kind> {
        switch message {
        case .loaded(let request, let page):
            guard request.number == number else { return .nothing }
            take(page, for: request)
            return next(after: request, page)
        case .failed(let request, let sentence):
            guard request.number == number else { return .nothing }
            phase = .failed(sentence)
            return .ask(.say(sentence))
        case .changed(let changes): return apply(changes)
        case .stirred: return reload()
        }
    }

    private mutating func take(_ page: Page<Content>, for request: ListRequest<Kind>) {
        let id = selection?.id
        switch request.part {
        case .whole:
            let newer = window.rows.filter { $0.position > page.position }
            window.replace(page.rows, next: page.next)
            base = page.position
            if query.isNewestFirst { keep(newer) }
        case .below: window.append(page.rows, next: page.next)
        case .above: window.prepend(page.rows)
        }
        isLoaded = true
        phase = .ready
        select(id)
    }

    /// What is to be asked after an answer: a page may be short, and even empty, although there are more rows.
    private mutating func next(after request: ListRequest<Kind>, _ page: Page<Content>) -> Step<Kind> {
        if isStale {
            isStale = false
            return reload()
        }
        return wanted()
    }

    /// Asks for all that is in memory again.
    mutating func reload() -> Step<Kind> {
        if case .loading = phase {
            isStale = true
            return .nothing
        }
        let count = min(max(window.rows.count, Window<Content>.pageSize), Window<Content>.limit)
        return ask(.whole, after: window.start, limit: count)
    }

    /// Asks for the list from its beginning, as for a new one.
    mutating func restart() -> Step<Kind> {
        number += 1
        (window, selected, isLoaded, isStale) = (Window(), 0, false, false)
        (arrived, told) = ([], [])
        return ask(.whole, after: nil, limit: Window<Content>.pageSize)
    }

    /// Asks for the list from where it begins in memory, but for fewer rows, and keeps what is shown until they are there.
    mutating func shorten() -> Step<Kind> {
        if phase == .loading(.whole) { return .nothing }
        number += 1
        return ask(.whole, after: window.start, limit: Window<Content>.limit * 3 / 5)
    }

    private mutating func ask(_ part: ListRequest<Kind>.Part, after: String?, limit: Int) -> Step<Kind> {
        phase = .loading(part)
        return .command(
            .list(ListRequest(query: query, part: part, after: after, limit: limit, number: number)))
    }

    /// Asks for the page above or below when the selection comes near to it.
    mutating func wanted() -> Step<Kind> {
        guard phase == .ready else { return .nothing }
        let margin = 20
        if selected + margin >= window.rows.count, let next = window.next {
            return ask(.below, after: next, limit: Window<Content>.pageSize)
        }
        if selected < margin, window.hasMoreAbove {
            return ask(.above, after: window.previous, limit: Window<Content>.pageSize)
        }
        return .nothing
    }

    /// Selects the row with an ID, or one close to where the selection was.
    mutating func select(_ id: String?) {
        if let id, let index = window.rows.firstIndex(where: { $0.id == id }) {
            selected = index
        } else {
            selected = max(0, min(selected, window.rows.count - 1))
        }
        if let selection { arrived.remove(selection.id) }
    }

    /// What is listened to: the rows between the first and the last one in memory, or any change where rows can move.
    var subscriptions: Set<ScreenSubscription<Kind>> {
        guard query.isNewestFirst else { return [.anything] }
        guard isLoaded else { return [] }
        let since = window.next == nil ? nil : window.rows.last.map(\.date)
        // The filter's upper bound is not in it: the next millisecond is.
        let until = window.hasMoreAbove ? window.rows.first.map { $0.date.addingTimeInterval(0.001) } : nil
        return [.rows(query.filter.bounded(since: since, until: until))]
    }
}
