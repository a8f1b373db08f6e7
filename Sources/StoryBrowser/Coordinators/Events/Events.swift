import StoryClient

import struct FoundationEssentials.Date

/// The description of events for their coordinator: those of the log, of a category or of a stream, the newest first.
struct Events: ReadOnlyKind {
    typealias Content = EventRow
    typealias Filter = EventFilter

    let noun = "event"
    let selection: EventSelection
    let firstSort = OneSort.position
    let followsFirst = true
    let presence = "an event of the log, which never changes"

    var title: String {
        switch selection {
        case .all: "log"
        case .category(let category): "events of \(category)"
        case .stream(let name): name
        }
    }

    func name(of id: String) -> String { "event \(id)" }

    var freshness: Freshness { .events(selection) }

    func summary(of query: ListQuery<Events>) -> String {
        query.order == .descending ? "live, the newest first" : "live, the oldest first"
    }

    var emptiness: String {
        switch selection {
        case .all: "the log has no events yet: storectl append and storectl post write some"
        case .category(let category): "there are no events of \(category); 6 shows the categories that have some"
        case .stream(let name): "the stream \(name) has no events; 6 shows the categories of streams"
        }
    }

    var columns: [ListColumn<EventRow>] {
        let position = ListColumn<EventRow>("position", of: "position", width: .whole(9)) { "\($0.position)" }
        let time = ListColumn<EventRow>("time (UTC)", of: "time", width: .date) { Moments.shown($0.time) }
        let stream = ListColumn<EventRow>("stream", of: "stream", width: .name(14)) { $0.stream }
        let version = ListColumn<EventRow>("version", of: "version", width: .whole(7)) { "\($0.version)" }
        let type = ListColumn<EventRow>("type", of: "type", width: .name(12)) { $0.type }
        let data = ListColumn<EventRow>("data", of: "data", width: .rest) { $0.data }
        if case .stream = selection { return [version, time, type, data, position] }
        return [position, time, stream, type, data]
    }

    func facts(of event: EventRow) -> [Fact] {
        let key = event.key.map { [Fact("key", $0)] } ?? []
        let tags = event.tags.isEmpty ? [] : [Fact("tags", event.tags.joined(separator: ", "))]
        let meta = event.meta.map { [Fact("meta", $0)] } ?? []
        return [
            Fact("type", event.type), Fact("stream", "\(event.stream), version \(event.version)"),
            Fact("position", "\(event.position)"), Fact("time", Moments.told(event.time)),
            Fact("by", "user ID \(event.by)"),
        ] + key + tags + meta
    }

    func text(of event: EventRow) -> String { event.text }

    var keys: [RowKey<Events>] {
        if case .stream = selection { return [] }
        return [RowKey(key: "o", name: "stream") { event, _ in .open(.events(.stream(event.stream))) }]
    }

    var links: [KindLink] {
        guard case .category(let category) = selection else { return [] }
        return [KindLink(key: "t", name: "streams", destination: .streams(of: category))]
    }
}

// The store behind them.
extension Events {
    func list(_ request: ListRequest<Events>, from client: StoreClient) async throws -> Page<EventRow> {
        let filter = request.query.filter
        let (since, until) = (filter.since.map(LogPoint.time), filter.until.map(LogPoint.time))
        let (first, last) = request.query.order == .descending ? (until, since) : (since, until)
        let next = request.after.flatMap(UInt64.init).map(LogPoint.position)
        let page = try await client.read(
            selection, from: next ?? first, to: last, order: request.query.order, limit: request.limit,
            types: filter.types.isEmpty ? nil : filter.types)
        return Page(rows: page.rows.map { EventRow($0) }, next: page.next, position: page.position)
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<EventRow>) async -> Void
    ) async throws {
        let position = UInt64(id) ?? 0
        let page = try await client.read(from: .position(max(1, position)), limit: 1)
        guard let event = page.rows.first, event.position == position else {
            return await send(.absent(position: position))
        }
        await send(.row(EventRow(event, isWhole: true), position: position))
    }
}

/// A filter of events.
struct EventFilter: BrowsedFilter {
    /// The types; none for all.
    var types: [String] = []
    /// The earliest time, inclusive.
    var since: Date?
    /// The latest time, inclusive.
    var until: Date?

    var options: [(name: String, value: String?)] {
        [
            ("types", types.isEmpty ? nil : types.joined(separator: ",")), ("since", since.map(Moments.written)),
            ("until", until.map(Moments.written)),
        ]
    }
}

// The form of the filter.
extension Events {
    func draft(of filter: EventFilter) -> Draft? {
        Draft("filter events").with("types", "types (A,B)", filter.types.joined(separator: ","))
            .bounds(filter.since, filter.until)
    }

    func filter(_ draft: Draft, now: Date) throws -> EventFilter {
        let types = draft.optional("types")?.split { $0 == "," || $0 == " " }.map(String.init) ?? []
        return try draft.read { reader in
            EventFilter(types: types, since: reader.moment("since", now), until: reader.moment("until", now))
        }
    }
}

/// An event as the browser keeps it: in a list only the beginning of its data, which may be a mebibyte.
struct EventRow: BrowsedRow {
    /// The most characters of an event's data in a list.
    private static let dataLimit = 300

    let position: UInt64
    let stream: String
    let version: UInt64
    let type: String
    let time: Date
    let by: UInt32
    let key: String?
    let tags: [String]
    /// The metadata, cut in a list.
    let meta: String?
    /// The beginning of the data, or `erased by P`.
    let data: String
    /// The data, a member a line, or `erased by P`; empty in a list.
    let text: String

    /// Its position: no other event of the log has it.
    var id: String { "\(position)" }

    /// Creates the row of an event.
    ///
    /// - Parameter isWhole: true with all of its data, for a page.
    init(_ event: Event, isWhole: Bool = false) {
        (position, stream, version, type) = (event.position, event.stream, event.version, event.type)
        (time, by, key, tags) = (event.time, event.by, event.key, event.tags)
        meta = event.meta.map { isWhole ? $0.text : String($0.text.prefix(EventRow.dataLimit)) }
        data = event.dataLine(upTo: EventRow.dataLimit)
        text = isWhole ? event.dataLines : ""
    }
}
