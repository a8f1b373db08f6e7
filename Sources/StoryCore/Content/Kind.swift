/// The four kinds of content that the store knows, as requests name them; what they are stands in their schemas.
package enum Kind: UInt8, CaseIterable, Sendable {
    case users = 1
    case stories = 2
    case messages = 3
    case photos = 4

    /// The kind's name in targets and queries: `stories`.
    package var name: String { schema.name }

    /// The category of its streams: `story`.
    package var category: CategoryName { schema.categoryName }

    /// The kind with this name; nil when there is none.
    package init?(name: some Collection<UInt8>) {
        guard let kind = Kind.allCases.first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
        self = kind
    }

    /// The kind whose streams have this category; nil for the users' own categories.
    package init?(category: some Collection<UInt8>) {
        guard let kind = Kind.allCases.first(where: { $0.category.bytes.elementsEqual(category) }) else { return nil }
        self = kind
    }

    /// The kind that a schema of the standard catalogue is of.
    package init?(_ schema: KindSchema) { self.init(rawValue: UInt8(truncatingIfNeeded: schema.number + 1)) }

    /// The kinds whose content a verb changes.
    package static func taking(_ verb: Verb) -> [Kind] { allCases.filter { $0.schema.verbs.contains(verb) } }

    /// What the store knows of the kind.
    package var schema: KindSchema { Catalogue.standard.kinds[Int(rawValue) - 1] }

    /// The stream that holds the history of one ID.
    package func stream(_ id: Identifier) -> StreamName { StreamName(category: category, id: id) }
}
