import StoryClient

/// The filter, sort and order of a list.
struct ListQuery<Kind: BrowsedKind>: Hashable, Sendable {
    var filter: Kind.Filter
    var sort: Kind.Sort
    var order: Order
}

/// A request for a part of a list.
struct ListRequest<Kind: BrowsedKind>: Hashable, Sendable {
    /// The position of the requested rows relative to those in memory.
    enum Part: Hashable, Sendable { case whole, below, above }

    let query: ListQuery<Kind>
    let part: Part
    /// The `next` to continue after; nil for the beginning.
    let after: String?
    /// The most rows to return.
    let limit: Int
    /// The number of the query, so that answers to earlier ones are ignored.
    let number: Int
}

/// An event for a list.
enum ListMessage<Kind: BrowsedKind>: Sendable {
    case loaded(ListRequest<Kind>, Page<Kind.Content>)
    case failed(ListRequest<Kind>, String)
    /// Changes of its rows, in their order.
    case changed([ListChange<Kind.Content>])
    /// Any row of the kind changed.
    case stirred
}

/// A list of rows: the part in memory, and the selected row.
struct ListState<Kind: BrowsedKind>: CoordinatorScreen {
    typealias Content = Kind.Content

    /// The state of the latest request.
    enum Phase: Hashable, Sendable {
        case loading(ListRequest<Kind>.Part)
        case ready
        case failed(String)
    }

    var kind: Kind
    var query: ListQuery<Kind>
    var window = Window<Content>()
    var selected = 0
    var phase: Phase = .ready
    /// The IDs of rows that arrived while the list was shown, until they are selected.
    var arrived: Set<String> = []
    /// The number of the query; incremented for each.
    var number = 0
    /// True if the list has to be requested again after the answer in progress.
    var isStale = false
    /// The position that the rows in memory were read at: later events may have added or removed rows.
    var base: UInt64 = 0
    /// False before the first page has arrived.
    var isLoaded = false
    /// True if newer rows left the selected one out, so that those in memory were kept.
    var isHeld = false
    /// The IDs pushed since the subscription began; nil once it has caught up.
    var told: Set<String>? = []

    init(_ kind: Kind, _ filter: Kind.Filter = .init()) {
        self.kind = kind
        query = ListQuery(filter: filter, sort: kind.firstSort, order: kind.order(of: kind.firstSort))
    }

    /// True if pushed rows are put into the list: the newest come first.
    var isNewestFirst: Bool { kind.isNewestFirst(query) }

    /// The selected row; nil in an empty list.
    var selection: Content? { window.rows.indices.contains(selected) ? window.rows[selected] : nil }

    var title: String { kind.title }

    /// The rows that the filter and rows on or near the screen refer to.
    var references: [Reference] {
        let near = max(0, selected - 60)..<min(window.rows.count, max(0, selected) + 60)
        let rows = near.isEmpty ? [] : window.rows[near].flatMap { kind.references(of: $0) }
        return filters.flatMap { kind.references(in: $0) } + rows
    }

    /// The names and values of the filter's options.
    var filters: [(name: String, value: String)] {
        query.filter.options.compactMap { option in option.value.map { (option.name, $0) } }
    }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step {
        switch message {
        case .appeared:
            told = []
            return reload()
        case .key(let key, let surroundings): return press(key, surroundings)
        case .list(let message): return update(message)
        case .narrowed(let filter):
            query.filter = filter
            let sort = kind.sort(query.sort, of: filter)
            if sort != query.sort { (query.sort, query.order) = (sort, kind.order(of: sort)) }
            return restart()
        case .written(let sentence): return .ask(.say(sentence))
        case .described(let kind):
            let isSame = kind.hasSameRows(as: self.kind)
            self.kind = kind
            if !kind.sorts.contains(query.sort) {
                (query.sort, query.order) = (kind.firstSort, kind.order(of: kind.firstSort))
            }
            return isSame ? .nothing : restart()
        case .page, .form, .found: return .nothing
        }
    }

    private mutating func update(_ message: ListMessage<Kind>) -> Step {
        switch message {
        case .loaded(let request, let page):
            guard request.number == number else { return .nothing }
            apply(page, for: request)
            // A page may be short, and even empty, although there are more rows.
            guard isStale else { return wanted() }
            isStale = false
            return reload()
        case .failed(let request, let sentence):
            guard request.number == number else { return .nothing }
            phase = .failed(sentence)
            // An event that came meanwhile may be the reason, and the store may tell another one now. A list that is
            // asked for by time is asked for again anyway.
            guard isStale, case .events = kind.freshness else {
                // An empty list has the sentence in place of its rows.
                return window.rows.isEmpty ? .nothing : .ask(.say(sentence))
            }
            isStale = false
            return reload()
        case .changed(let changes): return apply(changes)
        case .stirred: return reload()
        }
    }

    private mutating func apply(_ page: Page<Content>, for request: ListRequest<Kind>) {
        let id = selection?.id
        switch request.part {
        case .whole:
            isHeld = isLoaded && selected > 0 && kind.followsFirst && !page.rows.contains { $0.id == id }
            if isHeld { break }
            let newer = window.rows.filter { $0.position > page.position }
            markArrivals(in: page)
            window.replace(page.rows, next: page.next)
            base = page.position
            if isNewestFirst { keep(newer) }
        case .below: window.append(page.rows, next: page.next)
        case .above: window.prepend(page.rows)
        }
        isLoaded = true
        phase = .ready
        select(kind.followsFirst && selected == 0 ? nil : id)
    }

    /// Marks the rows of a repeated request that were added since the list was requested before.
    private mutating func markArrivals(in page: Page<Content>) {
        guard isLoaded, !isNewestFirst else { return }
        let listed = Set(window.rows.map(\.id))
        let added = page.rows.filter { $0.position > base && !listed.contains($0.id) }.map(\.id)
        arrived = arrived.intersection(page.rows.map(\.id)).union(added)
    }

    /// Requests all rows in memory again.
    mutating func reload() -> Step {
        if case .loading = phase {
            isStale = true
            return .nothing
        }
        let count = min(max(window.rows.count, Window<Content>.pageSize), Window<Content>.limit)
        return ask(.whole, after: window.start, limit: count)
    }

    /// Requests the list from its beginning, like a new one.
    mutating func restart() -> Step {
        number += 1
        (window, selected, isLoaded, isStale, isHeld) = (Window(), 0, false, false, false)
        (arrived, told) = ([], [])
        return ask(.whole, after: nil, limit: Window<Content>.pageSize)
    }

    /// Requests fewer rows from the first one in memory, and keeps the old ones until they arrive.
    mutating func shorten() -> Step {
        if phase == .loading(.whole) { return .nothing }
        number += 1
        return ask(.whole, after: window.start, limit: Window<Content>.limit * 3 / 5)
    }

    private mutating func ask(_ part: ListRequest<Kind>.Part, after: String?, limit: Int) -> Step {
        phase = .loading(part)
        return .command(
            .list(ListRequest(query: query, part: part, after: after, limit: limit, number: number)), of: kind)
    }

    /// Requests the page above or below when the selection is close to it.
    mutating func wanted() -> Step {
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

    /// Selects the row with an ID, or one near the previous selection.
    mutating func select(_ id: String?) {
        if let id, let index = window.rows.firstIndex(where: { $0.id == id }) {
            selected = index
        } else {
            selected = max(0, min(selected, window.rows.count - 1))
        }
        if let selection { arrived.remove(selection.id) }
    }

    /// The rows between the first and the last one in memory, or any change if rows can move.
    var subscriptions: Set<ScreenSubscription<Kind>> {
        guard isNewestFirst else { return [.anything(kind.freshness)] }
        guard isLoaded else { return [] }
        let oldest = window.next == nil ? nil : window.rows.last
        let newest = window.hasMoreAbove ? window.rows.first : nil
        return [.rows(kind.bounded(query.filter, from: oldest, to: newest))]
    }
}
