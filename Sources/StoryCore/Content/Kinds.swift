/// The kinds of content that a store knows.
///
/// This is the one list of them: nothing else names them but their own folders, forms and deciders.
///
/// Unchecked: it never changes.
package final class Catalogue: @unchecked Sendable {
    /// How many kinds there may be.
    package static let maxKindCount = 256

    /// By their numbers.
    package let kinds: [KindSchema]
    /// The categories' bytes, by the kinds' numbers.
    private let categories: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let names: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let layouts: UnsafeBufferPointer<UnsafePointer<RowLayout>>
    private let rowTables: UnsafeBufferPointer<UInt8>
    private let memory: FixedMemory
    private let declarations: [KindDeclaration]

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
            preconditionFailure("The store's own schemas are sound: \(error)")
        }
    }()

    /// A catalogue of the same kinds that shares no object with this one.
    ///
    /// For a thread of its own: where several count references to the same objects, each waits for the others' caches.
    package func copy() -> Catalogue {
        do throws(SchemaError) {
            return try Catalogue(declarations)
        } catch {
            preconditionFailure("Schemas that were sound still are: \(error)")
        }
    }

    /// What the store knows of a kind of this catalogue.
    package subscript(kind: Kind) -> KindSchema { kinds[Int(kind.number)] }

    /// The number of the table that has a kind's rows.
    package func rows(of kind: Kind) -> UInt8 { rowTables[Int(kind.number)] }

    /// Where the parts of a kind's rows lie.
    package func layout(of kind: Kind) -> UnsafePointer<RowLayout> { layouts[Int(kind.number)] }

    /// The kind with this name; nil when there is none.
    package func kind(named name: UnsafeRawBufferPointer) -> Kind? {
        for index in names.indices where names[index].count == name.count && names[index].equals(name) {
            return Kind(number: index)
        }
        return nil
    }

    /// The kind whose streams have this category; nil for the users' own categories.
    package func kind(category: UnsafeRawBufferPointer) -> Kind? {
        for index in categories.indices where categories[index].count == category.count {
            if begins(category, like: index), categories[index].equals(category) { return Kind(number: index) }
        }
        return nil
    }

    /// True where the first byte is that of a category: most names differ in it.
    @inline(__always)
    private func begins(_ name: UnsafeRawBufferPointer, like index: Int) -> Bool {
        name[0] == categories[index][0]
    }

    /// The kinds whose content a verb changes.
    package func kinds(taking verb: Verb) -> [KindSchema] { kinds.filter { $0.verbs.contains(verb) } }

    /// The kind that a stream belongs to; nil for the users' own streams.
    package func kind(stream: UnsafeRawBufferPointer) -> StreamKind? {
        for index in categories.indices {
            let count = categories[index].count
            guard stream.count > count, stream[count] == 0x2D, begins(stream, like: index) else { continue }
            if categories[index].equals(UnsafeRawBufferPointer(rebasing: stream[..<count])) {
                return StreamKind(kind: Kind(number: index), idStart: count + 1)
            }
        }
        return nil
    }

    /// Every table of every model, by number.
    package var tables: [ModelTable] {
        (kinds.flatMap(\.tables) + StreamTables.all).sorted { $0.number < $1.number }
    }

    /// The names of the models, those of the kinds first.
    package var models: [String] { (kinds.flatMap(\.tables) + StreamTables.all).map(\.model).distinct }

    /// The tables of a model; the first holds what the model's count counts.
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
    package static var users: Kind { Kind(number: 0) }
    package static var stories: Kind { Kind(number: 1) }
    package static var messages: Kind { Kind(number: 2) }
    package static var photos: Kind { Kind(number: 3) }
}

/// The tables that say where events lie, whatever kinds there are.
package enum StreamTables {
    package static let streams = ModelTable(6, "streams", of: "streams")
    package static let streamPositions = ModelTable(7, "streamPositions", of: "streams")
    package static let categories = ModelTable(4, "categories", of: "streams")
    package static let categoryPositions = ModelTable(8, "categoryPositions", of: "streams")
    package static let keys = ModelTable(10, "keys", of: "keys")
    /// Those of the model `streams` first.
    package static let all = [streams, streamPositions, categories, categoryPositions, keys]
}

/// The kind of a stream that is one of content.
package struct StreamKind {
    package let kind: Kind
    /// Where in the stream's name the ID begins.
    package let idStart: Int
}
