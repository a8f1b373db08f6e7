import StoryClient

import struct FoundationEssentials.Date

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
