/// The catalogue of the kinds of content that a store knows.
///
/// This is the only list of them: no other code names them but their own folders, forms and deciders.
///
/// Unchecked: it never changes.
package final class Catalogue: @unchecked Sendable {
    /// The maximum number of kinds.
    package static let maxKindCount = 256

    /// The schemas, indexed by the kinds' numbers.
    package let kinds: [KindSchema]
    /// The categories' bytes, indexed by the kinds' numbers.
    private let categories: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let names: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let layouts: UnsafeBufferPointer<UnsafePointer<RowLayout>>
    private let rowTables: UnsafeBufferPointer<UInt8>
    private let memory: FixedMemory
    private let declarations: [KindDeclaration]

    /// Creates a catalogue.
    ///
    /// - Throws: the first contradiction within a declaration, or between two.
    package init(_ declarations: [KindDeclaration]) throws(SchemaError) {
        guard declarations.count <= Catalogue.maxKindCount else {
            throw SchemaError("there are more than \(Catalogue.maxKindCount) kinds")
        }
        var kinds: [KindSchema] = []
        for (number, declaration) in declarations.enumerated() {
            kinds.append(try KindSchema(declaration, number: number))
        }
        let memory = FixedMemory()
        self.memory = memory
        self.kinds = kinds
        self.declarations = declarations
        categories = memory.table(kinds.map { memory.bytes($0.category) })
        names = memory.table(kinds.map { memory.bytes($0.name) })
        layouts = memory.table(kinds.map(\.layoutPointer))
        rowTables = memory.table(kinds.map(\.rows.number))
        try Catalogue.check(kinds)
    }

    /// The store's own kinds.
    package static let standard: Catalogue = {
        do throws(SchemaError) {
            return try Catalogue([
                UserSchema.declaration, StorySchema.declaration, MessageSchema.declaration, PhotoSchema.declaration,
            ])
        } catch {
            preconditionFailure("the standard catalogue is invalid: \(error)")
        }
    }()

    /// Returns a catalogue of the same kinds that shares no object with this one.
    ///
    /// Each thread has its own: reference counts that several threads change move their cache lines from core to core.
    package func copy() -> Catalogue {
        do throws(SchemaError) {
            return try Catalogue(declarations)
        } catch {
            preconditionFailure("the copy of a valid catalogue is invalid: \(error)")
        }
    }

    /// The schema of a kind of this catalogue.
    package subscript(kind: Kind) -> KindSchema { kinds[Int(kind.number)] }

    /// Returns the number of the table that has a kind's rows.
    package func rows(of kind: Kind) -> UInt8 { rowTables[Int(kind.number)] }

    /// Returns the layout of a kind's rows.
    package func layout(of kind: Kind) -> UnsafePointer<RowLayout> { layouts[Int(kind.number)] }

    /// Returns the kind with this name; nil when there is none.
    package func kind(named name: UnsafeRawBufferPointer) -> Kind? {
        for index in names.indices where names[index].equals(name) {
            return Kind(number: index)
        }
        return nil
    }

    /// Returns the kind whose streams have this category; nil for custom categories.
    package func kind(category: UnsafeRawBufferPointer) -> Kind? {
        for index in categories.indices where categories[index].equals(category) { return Kind(number: index) }
        return nil
    }

    /// Returns the kinds whose content a verb changes.
    package func kinds(taking verb: Verb) -> [KindSchema] { kinds.filter { $0.verbs.contains(verb) } }

    /// Returns the kind that a stream belongs to; nil for custom streams.
    package func kind(stream: UnsafeRawBufferPointer) -> StreamKind? {
        for index in categories.indices where stream.isStream(of: categories[index]) {
            return StreamKind(kind: Kind(number: index), idStart: categories[index].count + 1)
        }
        return nil
    }

    /// Every table of every model, by number.
    package var tables: [ModelTable] {
        (kinds.flatMap(\.tables) + StreamTables.all).sorted { $0.number < $1.number }
    }

    /// The names of the models, those of the kinds first.
    package var models: [String] { (kinds.flatMap(\.tables) + StreamTables.all).map(\.model).distinct }

    /// Returns the tables of a model; the model's count is the number of entries in the first one.
    package func tables(of model: String) -> [ModelTable] {
        (kinds.flatMap(\.tables) + StreamTables.all).filter { $0.model == model }
    }

    private static func check(_ kinds: [KindSchema]) throws(SchemaError) {
        let tables = kinds.flatMap(\.tables) + StreamTables.all
        guard Set(tables.map(\.number)).count == tables.count, Set(tables.map(\.name)).count == tables.count else {
            throw SchemaError("two tables have one number or one name")
        }
        guard Set(kinds.map(\.name)).count == kinds.count, Set(kinds.map(\.category)).count == kinds.count else {
            throw SchemaError("two kinds have one name or one category")
        }
    }
}

/// The store's own kinds by name, for forms that ask for one. The numbers are those of `Catalogue.standard`.
extension Kind {
    /// The kind `users`.
    package static var users: Kind { Kind(number: 0) }
    /// The kind `stories`.
    package static var stories: Kind { Kind(number: 1) }
    /// The kind `messages`.
    package static var messages: Kind { Kind(number: 2) }
    /// The kind `photos`.
    package static var photos: Kind { Kind(number: 3) }
}

/// The tables that map streams, categories and keys to events, independent of the kinds.
package enum StreamTables {
    /// The streams by name.
    package static let streams = ModelTable(6, "streams", of: "streams")
    /// The posting lists of the streams.
    package static let streamPositions = ModelTable(7, "streamPositions", of: "streams")
    /// The categories by name.
    package static let categories = ModelTable(4, "categories", of: "streams")
    /// The posting lists of the categories.
    package static let categoryPositions = ModelTable(8, "categoryPositions", of: "streams")
    /// The keys of requests.
    package static let keys = ModelTable(10, "keys", of: "keys")
    /// All of these tables, those of the model `streams` first.
    package static let all = [streams, streamPositions, categories, categoryPositions, keys]
}

/// The kind of a stream of content.
package struct StreamKind {
    /// The kind of the content.
    package let kind: Kind
    /// The offset of the ID in the stream's name, in bytes.
    package let idStart: Int
}
