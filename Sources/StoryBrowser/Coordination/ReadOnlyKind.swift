package import StoryClient

package import struct FoundationEssentials.Date

/// A kind whose rows are only looked at: its lists are requested again instead of followed, and it has no forms but that
/// of a filter.
package protocol ReadOnlyKind: BrowsedKind {
    /// Returns the form of the filter; nil if its lists have none.
    func draft(of filter: Filter) -> Draft?
}

extension ReadOnlyKind {
    package func draft(of filter: Filter) -> Draft? { nil }
    package func order(of sort: Sort) -> Order { .descending }
    package func text(of content: Content) -> String { "" }

    package func draft(
        for purpose: FormPurpose, of content: Content?, in filter: Filter, by user: String?
    ) -> Draft? { purpose == .filter ? draft(of: filter) : nil }

    package func filter(_ draft: Draft, now: Date) throws -> Filter { Filter() }

    package func row(_ id: String, after event: Event, from client: StoreClient) async throws -> Content {
        throw NoPast(name: name(of: id))
    }

    package func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> Content {
        throw NoPast(name: name(of: id))
    }

    package func live(_ filter: Filter, of client: StoreClient) -> LiveChanges<ListChange<Content>>? { nil }

    package func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        .refused("\(title) are not written here")
    }

    package func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt { throw NoSuchWrite(name: action) }

    /// Follows nothing by default: the kind's rows have no page.
    package func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Content>) async -> Void
    ) async throws {}
}

extension ReadOnlyKind where Sort == OneSort {
    package var firstSort: OneSort { .name }
    package var sorts: [OneSort] { [firstSort] }
    package var isReversible: Bool { firstSort != .name }
}

/// The error of a row whose past cannot be read.
struct NoPast: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) has no past to show" }
}

/// The filter of lists that have none.
package struct NoFilter: BrowsedFilter {
    package init() {}
    package var options: [(name: String, value: String?)] { [] }
}

/// The sort of lists that have one order.
package enum OneSort: String { case name, position }
