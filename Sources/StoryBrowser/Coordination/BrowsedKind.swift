package import StoryClient

package import struct FoundationEssentials.Date

/// A field of a row as its page shows it.
package struct Fact: Hashable, Sendable {
    let name: String
    let value: String
    /// True where the value is the ID of a user.
    let isUser: Bool

    init(_ name: String, _ value: String) { (self.name, self.value, isUser) = (name, value, false) }

    /// A field that refers to a user.
    init(_ name: String, user id: String) { (self.name, value, isUser) = (name, id, true) }

    /// What is shown of it.
    func text(_ names: Names) -> String { isUser ? names.full(value) : value }
}

/// A key of a row's own, and what it does.
package struct RowKey<Kind: BrowsedKind>: Sendable {
    /// What pressing it comes to.
    enum Meaning: Sendable {
        /// It leads to what belongs to another coordinator; nil where this row has none.
        case open(@Sendable (Kind.Content) -> Destination?)
        /// It does something that needs no form, for the user whom the browser acts for, if there is one.
        case act(@Sendable (Kind.Content, _ user: String?) -> RowAction?)
    }

    let key: Character
    let name: String
    let meaning: Meaning
}

/// Something that can be done to a row.
package enum RowAction: Hashable, Sendable {
    /// A write without fields, by its name.
    case write(String)
    /// A form has to be filled in first, by its name.
    case fill(String)
    /// It is deleted, once that is confirmed.
    case delete
}

/// What a form is for.
package enum FormPurpose: Hashable, Sendable {
    /// To make new content.
    case new
    /// To revise the content with this ID, which is at this version.
    case edit(id: String, version: UInt64)
    /// To confirm that the content with this ID is deleted, which is at this version.
    case delete(id: String, version: UInt64)
    /// To do something else to the content with this ID.
    case act(String, id: String)
    /// To say which rows a list has.
    case filter
}

extension FormPurpose {
    /// The row that the form rests on, and its version; nil where it rests on none.
    package var base: (id: String, version: UInt64)? {
        switch self {
        case .edit(let id, let version), .delete(let id, let version): (id, version)
        case .new, .act, .filter: nil
        }
    }

    /// The same at another version of the row.
    func rebased(_ version: UInt64) -> FormPurpose {
        switch self {
        case .edit(let id, _): .edit(id: id, version: version)
        case .delete(let id, _): .delete(id: id, version: version)
        case .new, .act, .filter: self
        }
    }

    /// True where the form asks whether something is to be deleted.
    var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// What a coordinator has to know of its kind of content. It knows no other kind.
package protocol BrowsedKind: Sendable {
    associatedtype Content: StoreContent

    /// What a list of it is called.
    static var title: String { get }
    /// The category of its streams.
    static var category: String { get }
    /// The columns of its list.
    static var columns: [ListColumn<Content>] { get }
    /// The order in which a list begins that is sorted by this.
    static func order(of sort: Content.Sort) -> Order
    /// What its list begins with: the newest first.
    static var byDate: Content.Sort { get }

    /// The fields of its page.
    static func facts(of content: Content) -> [Fact]
    /// The longer text of its page.
    static func text(of content: Content) -> String
    /// The keys of its rows.
    static var keys: [RowKey<Self>] { get }

    /// The form for a purpose; nil where there is none.
    ///
    /// - Parameters:
    ///   - content: what it is about.
    ///   - filter: which rows the list has.
    ///   - user: whom the browser acts for.
    static func draft(
        for purpose: FormPurpose, of content: Content?, in filter: Content.Filter, by user: String?
    ) -> Draft?
    /// The filter that a form says.
    ///
    /// - Throws: `WrongDraft`.
    static func filter(_ draft: Draft, now: Date) throws -> Content.Filter

    static func collection(_ client: StoreClient) -> ContentCollection<Content>
    /// Sends a form that is filled in.
    static func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission
    /// Carries out a write without fields.
    static func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt
}

extension BrowsedKind {
    /// The IDs of the users whom a row refers to.
    static func people(of content: Content) -> [String] {
        facts(of: content).filter(\.isUser).map(\.value)
    }

    /// The stream of a row.
    static func stream(of id: String) -> String { "\(category)-\(id)" }

    /// A kind that says nothing else has no writes without fields.
    package static func write(
        _ action: String, to id: String, by user: String?, client: StoreClient
    ) async throws -> Receipt { throw NoSuchWrite(name: action) }
}

/// A kind was asked for a write that it does not have.
struct NoSuchWrite: Error, CustomStringConvertible {
    let name: String
    var description: String { "there is no such write: \(name)" }
}
