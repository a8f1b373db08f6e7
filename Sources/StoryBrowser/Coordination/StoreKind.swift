import StoryClient

import struct FoundationEssentials.Date

/// A kind of the store's own content, whose rows have dates and come from one of the client's collections.
protocol StoreKind: BrowsedKind
where Content: StoreContent, Filter: ContentFilter, Filter == Content.Filter, Sort == Content.Sort {
    /// The category of its streams.
    var category: String { get }
}

extension StoreKind {
    var noun: String { category }
    var title: String { Content.kind.rawValue }
    var sorts: [Sort] { Array(Sort.allCases) }
    var changesWithEachEvent: Bool { true }
    var freshness: Freshness { .events(.category(category)) }

    func name(of id: String) -> String { "\(category) \(id)" }
    func stream(of id: String) -> String? { "\(category)-\(id)" }
    func date(of content: Content) -> Date { content.date }
    func version(of content: Content) -> UInt64 { content.version }
    func people(in filter: Filter) -> [String] {
        filter.options.flatMap { name, value in value.map { Names.ids(in: (name, $0)) } ?? [] }
    }

    private func collection(_ client: StoreClient) -> ContentCollection<Content> { ContentCollection(client) }

    func isNewestFirst(_ query: ListQuery<Self>) -> Bool {
        query.sort == firstSort && query.order == .descending
    }

    func bounded(_ filter: Filter, since: Date?, until: Date?) -> Filter {
        var filter = filter
        filter.since = [filter.since, since].compactMap(\.self).max()
        filter.until = [filter.until, until].compactMap(\.self).min()
        return filter
    }

    func list(_ request: ListRequest<Self>, from client: StoreClient) async throws -> Page<Content> {
        let query = request.query
        return try await collection(client).list(
            query.filter, sort: query.sort, order: query.order, limit: request.limit, after: request.after)
    }

    func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> Content {
        try await collection(client).get(id, at: .position(position))
    }

    func live(_ filter: Filter, of client: StoreClient) -> LiveChanges<ListChange<Content>>? {
        collection(client).live(filter)
    }

    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Content>) async -> Void
    ) async throws {
        for try await change in collection(client).watch(id) { await send(change) }
    }
}

extension User: BrowsedRow {}
extension Story: BrowsedRow {}
extension Message: BrowsedRow {}
extension Photo: BrowsedRow {}

extension UserFilter: BrowsedFilter {}
extension StoryFilter: BrowsedFilter {}
extension MessageFilter: BrowsedFilter {}
extension PhotoFilter: BrowsedFilter {}

/// A kind whose rows are only looked at: its lists are requested again instead of followed, and it has no forms but that
/// of a filter.
protocol ReadOnlyKind: BrowsedKind {
    /// The filter of its lists, which most do not have.
    associatedtype Filter = NoFilter
    /// The sort of its lists, which most have one of.
    associatedtype Sort = OneSort

    /// Returns the form of the filter; nil if its lists have none.
    func draft(of filter: Filter) -> Draft?
}

extension ReadOnlyKind {
    func draft(of filter: Filter) -> Draft? { nil }
    func name(of id: String) -> String { id }

    func draft(
        for purpose: FormPurpose, of content: Content?, in filter: Filter, by user: String?
    ) -> Draft? { purpose == .filter ? draft(of: filter) : nil }

    func filter(_ draft: Draft, now: Date) throws -> Filter { Filter() }

    func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> Content {
        throw NoPast(name: name(of: id))
    }

    func live(_ filter: Filter, of client: StoreClient) -> LiveChanges<ListChange<Content>>? { nil }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        .refused("\(title) are not written here")
    }

    /// Follows nothing by default: the kind's rows have no page.
    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Content>) async -> Void
    ) async throws {}
}

extension ReadOnlyKind where Sort == OneSort {
    var firstSort: OneSort { .name }
    var sorts: [OneSort] { [firstSort] }
    var isReversible: Bool { firstSort != .name }
}

/// The error of a row whose past cannot be read.
struct NoPast: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) has no past to show" }
}

/// The filter of lists that have none.
struct NoFilter: BrowsedFilter {
    var options: [(name: String, value: String?)] { [] }
}

/// The sort of lists that have one order.
enum OneSort: String { case name, position }
