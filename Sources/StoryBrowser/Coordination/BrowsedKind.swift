package import StoryClient

package import struct FoundationEssentials.Date

/// A field of a row as its page shows it.
package struct Fact: Hashable, Sendable {
    let name: String
    let value: String
    /// True if the value is the ID of a user.
    let isUser: Bool

    init(_ name: String, _ value: String) { (self.name, self.value, isUser) = (name, value, false) }

    /// Creates a field that refers to a user.
    init(_ name: String, user id: String) { (self.name, value, isUser) = (name, id, true) }

    /// Returns the text that is shown for the value.
    func text(_ names: Names) -> String { isUser ? names.full(value) : value }
}

/// A key for the rows of a kind, and its action.
package struct RowKey<Kind: BrowsedKind>: Sendable {
    /// The action of the key.
    enum Meaning: Sendable {
        /// Opens a screen of another coordinator; nil if this row has none.
        case open(@Sendable (Kind.Content) -> Destination?)
        /// Does something to the row for the user whom the browser acts for, if there is one.
        case act(@Sendable (Kind.Content, _ user: String?) -> RowAction?)
    }

    let key: Character
    let name: String
    let meaning: Meaning
}

/// An action on a row.
package enum RowAction: Hashable, Sendable {
    /// A write without fields, by its name.
    case write(String)
    /// A form has to be filled in first, by its name.
    case fill(String)
    /// The row is deleted after a confirmation.
    case delete
}

/// The purpose of a form.
package enum FormPurpose: Hashable, Sendable {
    /// Makes new content.
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
    package var base: (id: String, version: UInt64)? {
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

    /// True if the form confirms a deletion.
    var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// The way from one list of a kind to another.
package struct ListTurn<Filter: Sendable>: Sendable {
    let key: Character
    let name: String
    /// The filter of the other list.
    let filter: Filter
}

/// The description of a kind of content, for its coordinator, which knows no other kind.
package protocol BrowsedKind: Sendable {
    /// The content's type.
    associatedtype Content: StoreContent

    /// The title of its lists.
    static var title: String { get }
    /// The category of its streams.
    static var category: String { get }
    /// The columns of its list.
    static var columns: [ListColumn<Content>] { get }
    /// Returns the initial order of a list with this sort.
    static func order(of sort: Content.Sort) -> Order
    /// The initial sort of its list: the newest first.
    static var byDate: Content.Sort { get }

    /// Returns the fields of its page.
    static func facts(of content: Content) -> [Fact]
    /// Returns the longer text of its page.
    static func text(of content: Content) -> String
    /// The keys of its rows.
    static var keys: [RowKey<Self>] { get }

    /// Returns the way from a list with this filter to the one that belongs with it; nil if there is none.
    static func turn(of filter: Content.Filter) -> ListTurn<Content.Filter>?

    /// Returns the form for a purpose; nil if there is none.
    ///
    /// - Parameters:
    ///   - content: the row that the form is about.
    ///   - filter: the filter of the list.
    ///   - user: the ID of the user whom the browser acts for.
    static func draft(
        for purpose: FormPurpose, of content: Content?, in filter: Content.Filter, by user: String?
    ) -> Draft?
    /// Returns the filter of a form.
    ///
    /// - Throws: `WrongDraft`.
    static func filter(_ draft: Draft, now: Date) throws -> Content.Filter

    /// Returns the client's collection of the kind.
    static func collection(_ client: StoreClient) -> ContentCollection<Content>
    /// Sends a completed form.
    static func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission
    /// Performs a write without fields.
    static func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt
}

extension BrowsedKind {
    /// Returns the IDs of the users that a row refers to.
    static func people(of content: Content) -> [String] {
        facts(of: content).filter(\.isUser).map(\.value)
    }

    /// Returns the stream of a row.
    static func stream(of id: String) -> String { "\(category)-\(id)" }

    /// The default: no list belongs with another.
    package static func turn(of filter: Content.Filter) -> ListTurn<Content.Filter>? { nil }

    /// The default: a kind has no writes without fields.
    package static func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt { throw NoSuchWrite(name: action) }
}

/// The error of a write that the kind does not have.
struct NoSuchWrite: Error, CustomStringConvertible {
    let name: String
    var description: String { "there is no such write: \(name)" }
}
