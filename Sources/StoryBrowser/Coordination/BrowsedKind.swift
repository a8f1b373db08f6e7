import StoryClient

import struct FoundationEssentials.Date

/// A field of a row as its page shows it.
struct Fact: Hashable, Sendable {
    let name: String
    let value: String
    /// The row that the value refers to; nil for another value.
    let reference: Reference?

    init(_ name: String, _ value: String) { (self.name, self.value, reference) = (name, value, nil) }

    /// Creates a field that refers to a row.
    init(_ name: String, _ row: Reference) { (self.name, value, reference) = (name, row.id, row) }

    /// Returns the text that is shown for the value.
    func text(_ names: Names) -> String { reference.map { names.full($0) } ?? value }
}

/// A key for the rows of a kind, and its action.
struct RowKey<Kind: BrowsedKind>: Sendable {
    let key: Character
    let name: String
    /// True if the key works in lists alone.
    var isForLists = false
    /// Returns the action on a row for the user whom the browser acts for, if there is one; nil if the row has none.
    let action: @Sendable (Kind.Content, _ user: String?) -> RowAction?
}

/// An action on a row.
enum RowAction: Hashable, Sendable {
    /// Opens a screen of another coordinator.
    case open(Destination)
    /// A write without fields, by its name.
    case write(String)
    /// A form has to be filled in first, by its name.
    case fill(String)
    /// The row is deleted after a confirmation.
    case delete
}

/// The purpose of a form.
enum FormPurpose: Hashable, Sendable {
    case new
    /// Edits the content with this ID at this version.
    case edit(id: String, version: UInt64)
    /// Confirms the deletion of the content with this ID at this version.
    case delete(id: String, version: UInt64)
    /// Does something else to the content with this ID.
    case act(String, id: String)
    /// Sets the filter of a list.
    case filter
}

extension FormPurpose {
    /// The row that the form is based on, and its version; nil if there is none.
    var base: (id: String, version: UInt64)? {
        switch self {
        case .edit(let id, let version), .delete(let id, let version): (id, version)
        case .new, .act, .filter: nil
        }
    }

    /// Returns the purpose with another version of the row.
    func rebased(_ version: UInt64) -> FormPurpose {
        switch self {
        case .edit(let id, _): .edit(id: id, version: version)
        case .delete(let id, _): .delete(id: id, version: version)
        case .new, .act, .filter: self
        }
    }

    var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// The way from one list of a kind to another.
struct ListTurn<Filter: Sendable>: Sendable {
    let key: Character
    let name: String
    /// The filter of the other list.
    let filter: Filter
}

/// A key of every screen of a kind, which opens a screen of another coordinator.
struct KindLink: Hashable, Sendable {
    let key: Character
    let name: String
    let destination: Destination
}

/// A row of a list.
protocol BrowsedRow: Hashable, Sendable {
    /// The ID, which no other row of the list has.
    var id: String { get }
    /// The position of the last event that changed it.
    var position: UInt64 { get }
}

/// A filter of a list.
protocol BrowsedFilter: Hashable, Sendable {
    /// Creates a filter that all rows pass.
    init()
    /// The filters as names and values on the wire.
    var options: [(name: String, value: String?)] { get }
}

/// The moments at which a list is requested again.
enum Freshness: Hashable, Sendable {
    /// After an event of the selection.
    case events(EventSelection)
    /// After this time.
    case every(Duration)
}

/// The description of a kind of rows, for its coordinator, which knows no other kind. The description is a value: that
/// of a declared model is what the store tells about it.
protocol BrowsedKind: Hashable, Sendable {
    associatedtype Content: BrowsedRow
    /// The filter of its lists.
    associatedtype Filter: BrowsedFilter
    /// The sorts of its lists.
    associatedtype Sort: RawRepresentable<String>, Hashable, Sendable

    /// The name of its screens in timings.
    var noun: String { get }
    /// The title of its lists.
    var title: String { get }
    /// Returns the name of a row, as titles and sentences have it.
    func name(of id: String) -> String
    /// Returns the stream whose events are the past of a row; nil if there is none.
    func stream(of id: String) -> String?
    /// True if a row that is made of several streams can be read as it was at any position.
    var keepsPast: Bool { get }
    /// True if each event of that stream changes the row.
    var changesWithEachEvent: Bool { get }
    /// The columns of its list.
    var columns: [ListColumn<Content>] { get }
    /// The sorts of its list.
    var sorts: [Sort] { get }
    /// The initial sort of its list.
    var firstSort: Sort { get }
    /// Returns the initial order of a list with this sort.
    func order(of sort: Sort) -> Order
    /// True if its lists can be reversed.
    var isReversible: Bool { get }
    /// Returns whether pushed rows can be put into the list: the newest come first.
    func isNewestFirst(_ query: ListQuery<Self>) -> Bool
    /// Returns the date of a row, in the lists that pushed rows are put into: a text, whose order is that of time.
    func date(of content: Content) -> String
    /// Returns the version of a row's stream; 0 if rows do not tell it.
    func version(of content: Content) -> UInt64
    /// Returns a filter narrowed to the dates between those of two rows, both included.
    func bounded(_ filter: Filter, from oldest: Content?, to newest: Content?) -> Filter
    /// Returns a filter for a list with this sort, without the bounds of another one.
    func filter(_ filter: Filter, sortedBy sort: Sort) -> Filter
    /// Returns the sort of a list with this filter, which may bound the values of another one.
    func sort(_ sort: Sort, of filter: Filter) -> Sort
    /// The moments at which other lists are requested again.
    var freshness: Freshness { get }
    /// True if the selection stays on the first row when rows arrive above it.
    var followsFirst: Bool { get }
    /// Returns the sentence above a list about its order.
    func summary(of query: ListQuery<Self>) -> String
    /// The sentence in place of the rows of an empty list.
    var emptiness: String { get }

    /// The heading of a page that shows the present.
    var presence: String { get }
    /// Returns the fields of its page.
    func facts(of content: Content) -> [Fact]
    /// Returns the longer text of its page.
    func text(of content: Content) -> String
    /// Returns the rows that the value of a filter refers to.
    func references(in option: (name: String, value: String)) -> [Reference]
    /// The keys of its rows.
    var keys: [RowKey<Self>] { get }
    /// The keys of its lists and pages that need no row.
    var links: [KindLink] { get }
    /// Returns the screen of another coordinator that Enter opens; nil for the page of the row.
    func opened(_ content: Content) -> Destination?

    /// Returns the way from a list with this filter to the one that belongs with it; nil if there is none.
    func turn(of filter: Filter) -> ListTurn<Filter>?

    /// Returns the form for a purpose; nil if there is none.
    ///
    /// - Parameters:
    ///   - content: the row that the form is about.
    ///   - filter: the filter of the list.
    ///   - user: the ID of the user whom the browser acts for.
    func draft(for purpose: FormPurpose, of content: Content?, in filter: Filter, by user: String?) -> Draft?
    /// Returns the filter of a form.
    ///
    /// - Throws: `WrongDraft`.
    func filter(_ draft: Draft, now: Date) throws -> Filter

    /// Returns the kind as the store describes it now.
    func described(by client: StoreClient) async throws -> Self
    /// The kind without what the store tells about it, which is the same for as long as a screen is shown.
    var undescribed: Self { get }
    /// Returns whether the rows in memory are still those of the kind after it was described again.
    func hasSameRows(as other: Self) -> Bool

    /// Returns a part of a list.
    func list(_ request: ListRequest<Self>, from client: StoreClient) async throws -> Page<Content>
    /// Returns a row as it was after an event of its stream.
    func row(_ id: String, after event: Event, from client: StoreClient) async throws -> Content
    /// Returns a row as it was at a position of the log.
    func row(_ id: String, at position: UInt64, from client: StoreClient) async throws -> Content
    /// Returns the changes of the lists that pushed rows are put into; nil if there are none.
    func live(_ filter: Filter, of client: StoreClient) -> LiveChanges<ListChange<Content>>?
    /// Sends the changes of a row until it is cancelled.
    func follow(
        row id: String, of client: StoreClient, _ send: @Sendable (RowChange<Content>) async -> Void
    ) async throws
    /// Sends a completed form.
    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission
    /// Performs a write without fields.
    func write(_ action: String, to id: String, by user: String?, client: StoreClient) async throws -> Receipt
}

extension BrowsedKind {
    /// Returns the rows that a row refers to.
    func references(of content: Content) -> [Reference] { facts(of: content).compactMap(\.reference) }

    /// Returns whether there is a form for a purpose.
    func hasForm(_ purpose: FormPurpose) -> Bool { draft(for: purpose, of: nil, in: Filter(), by: nil) != nil }
}

// The defaults.
extension BrowsedKind {
    var changesWithEachEvent: Bool { false }
    var keepsPast: Bool { false }
    var isReversible: Bool { true }
    var followsFirst: Bool { false }
    var keys: [RowKey<Self>] { [] }
    var links: [KindLink] { [] }
    var undescribed: Self { self }
    var presence: String { "as it is now, live" }
    static var nothing: String { "nothing here; 0 shows all that the store holds, 7 its events as they come" }
    var emptiness: String { Self.nothing }

    func stream(of id: String) -> String? { nil }
    func isNewestFirst(_ query: ListQuery<Self>) -> Bool { false }
    func order(of sort: Sort) -> Order { .descending }
    func date(of content: Content) -> String { "" }
    func version(of content: Content) -> UInt64 { 0 }
    func bounded(_ filter: Filter, from oldest: Content?, to newest: Content?) -> Filter { filter }
    func filter(_ filter: Filter, sortedBy sort: Sort) -> Filter { filter }
    func sort(_ sort: Sort, of filter: Filter) -> Sort { sort }
    func text(of content: Content) -> String { "" }
    func references(in option: (name: String, value: String)) -> [Reference] { [] }
    func opened(_ content: Content) -> Destination? { nil }
    func turn(of filter: Filter) -> ListTurn<Filter>? { nil }
    func hasSameRows(as other: Self) -> Bool { true }
    func described(by client: StoreClient) async throws -> Self { self }

    func summary(of query: ListQuery<Self>) -> String {
        "by \(query.sort.rawValue), \(query.order == .descending ? "descending" : "ascending")"
    }

    func row(_ id: String, after event: Event, from client: StoreClient) async throws -> Content {
        try await row(id, at: event.position, from: client)
    }

    func write(_ action: String, to id: String, by user: String?, client: StoreClient) async throws -> Receipt {
        throw NoSuchWrite(name: action)
    }
}

/// The error of a write that the kind does not have.
struct NoSuchWrite: Error, CustomStringConvertible {
    let name: String
    var description: String { "there is no such write: \(name)" }
}
