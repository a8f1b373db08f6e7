/// The kind of content that a request is about: its number in the catalogue, in two bytes.
///
/// A number is not used again while the process runs, so a request or a subscription of a kind that was removed names
/// no later one.
package struct Kind: Hashable, Sendable {
    /// The number in the catalogue, from 0.
    package let number: UInt16

    /// Creates the kind with a number.
    ///
    /// - Parameter number: below `Catalogue.maxKindCount`.
    package init(number: Int) { self.number = UInt16(number) }
}

/// The catalogue of the kinds of content that a store knows: one value, which the engine has and hands on.
///
/// A change of the kinds makes the next catalogue, with a higher epoch (`replaced`). The schemas of kinds that stay are
/// the same objects in both, and a schema lives as long as anything that refers to it.
///
/// Unchecked: it never changes.
package final class Catalogue: @unchecked Sendable {
    /// The number of kinds that a process can number.
    package static let maxKindCount = 1 << 16

    /// The number of this version of the catalogue; the first is 1.
    package let epoch: UInt64
    /// The schemas, in the order of the kinds' numbers.
    package let kinds: [KindSchema]
    /// The lowest number above all that a kind ever had: tables by number have this many entries.
    package let numberEnd: Int
    /// The schemas, indexed by the kinds' numbers.
    private let schemas: [KindSchema?]
    /// The kinds of the main environment, which have categories; the others are declared models.
    private let builtInKinds: [KindSchema]
    /// The categories' bytes and the kinds' numbers, indexed as `builtInKinds`.
    private let categories: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let categoryKinds: UnsafeBufferPointer<Int>
    /// The names and the kinds' numbers, indexed as `kinds`.
    private let names: UnsafeBufferPointer<UnsafeRawBufferPointer>
    private let numbers: UnsafeBufferPointer<Int>
    /// The layouts of the rows, indexed by the kinds' numbers.
    private let layouts: UnsafeBufferPointer<UnsafePointer<RowLayout>?>
    private let memory: FixedMemory

    /// Creates the first catalogue of a process; the kinds are numbered from 0.
    ///
    /// - Throws: the first contradiction within a declaration, or between two.
    package convenience init(_ declarations: [KindDeclaration]) throws(SchemaError) {
        try self.init(epoch: 1, try Catalogue.schemas(declarations, from: 0), numberEnd: declarations.count)
    }

    private init(epoch: UInt64, _ kinds: [KindSchema], numberEnd: Int) throws(SchemaError) {
        try Catalogue.check(kinds)
        let memory = FixedMemory()
        self.memory = memory
        self.epoch = epoch
        self.kinds = kinds
        self.numberEnd = numberEnd
        var schemas = [KindSchema?](repeating: nil, count: numberEnd)
        for kind in kinds { schemas[kind.number] = kind }
        self.schemas = schemas
        let builtInKinds = kinds.filter { $0.program == nil }
        self.builtInKinds = builtInKinds
        categories = memory.table(builtInKinds.map { memory.bytes($0.category) })
        categoryKinds = memory.table(builtInKinds.map(\.number))
        names = memory.table(kinds.map { memory.bytes($0.name) })
        numbers = memory.table(kinds.map(\.number))
        layouts = memory.table(schemas.map { $0?.layoutPointer })
    }

    private static func schemas(
        _ declarations: [KindDeclaration], from first: Int
    ) throws(SchemaError) -> [KindSchema] {
        guard declarations.count <= maxKindCount - first else {
            throw SchemaError("a process has at most \(maxKindCount) kinds, those that were removed included")
        }
        var kinds: [KindSchema] = []
        for declaration in declarations {
            kinds.append(try KindSchema(declaration, number: first + kinds.count))
        }
        return kinds
    }

    /// Returns the next catalogue, without some kinds and with others, which get numbers that no kind had.
    ///
    /// - Throws: the first contradiction; there are no numbers any more.
    package func replaced(
        removing removed: [Kind] = [], adding declarations: [KindDeclaration] = []
    ) throws(SchemaError) -> Catalogue {
        let kept = kinds.filter { !removed.contains($0.kind) }
        let added = try Catalogue.schemas(declarations, from: numberEnd)
        return try Catalogue(epoch: epoch + 1, kept + added, numberEnd: numberEnd + added.count)
    }

    /// Returns true when this catalogue may replace another one: no number means another kind than it does there.
    package func follows(_ other: Catalogue) -> Bool {
        epoch > other.epoch
            && kinds.allSatisfy { $0.number >= other.numberEnd || other.schema(of: $0.kind) === $0 }
    }

    /// The built-in kinds.
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
            var copies: [KindSchema] = []
            for kind in kinds { copies.append(try KindSchema(kind.declaration, number: kind.number)) }
            return try Catalogue(epoch: epoch, copies, numberEnd: numberEnd)
        } catch {
            preconditionFailure("the copy of a valid catalogue is invalid: \(error)")
        }
    }

    /// Returns the schema of a kind; nil for one that was removed.
    package func schema(of kind: Kind) -> KindSchema? {
        Int(kind.number) < schemas.count ? schemas[Int(kind.number)] : nil
    }

    /// The schema of a kind of this catalogue.
    package subscript(kind: Kind) -> KindSchema {
        guard let schema = schema(of: kind) else { preconditionFailure("epoch \(epoch) lacks kind \(kind.number)") }
        return schema
    }

    /// Returns the layout of a kind's rows, valid as long as the catalogue; nil for a kind that was removed.
    package func layout(of kind: Kind) -> UnsafePointer<RowLayout>? {
        Int(kind.number) < layouts.count ? layouts[Int(kind.number)] : nil
    }

    /// Returns the kind with this name; nil when there is none.
    package func kind(named name: UnsafeRawBufferPointer) -> Kind? {
        for index in names.indices where names[index].equals(name) {
            return Kind(number: numbers[index])
        }
        return nil
    }

    /// Returns the kind whose streams have this category; nil for custom categories.
    package func kind(category: UnsafeRawBufferPointer) -> Kind? {
        for index in categories.indices where categories[index].equals(category) {
            return Kind(number: categoryKinds[index])
        }
        return nil
    }

    /// Returns true for the category of a kind or of the store, in which users append no events of their own.
    package func isTheStores(category: UnsafeRawBufferPointer) -> Bool {
        kind(category: category) != nil || CategoryName.isReserved(category)
    }

    /// Returns true for one of the users' own events.
    package func isOwn(_ record: EventRecord) -> Bool {
        let stream = record.streamName
        return !isTheStores(category: stream.slice(0, count: stream.offset(of: 0x2D) ?? 0))
    }

    /// Returns the kinds that take a write.
    package func kinds(taking verb: WriteVerb) -> [KindSchema] { kinds.filter { $0.write(verb) != nil } }

    /// Returns the kind that a stream belongs to; nil for custom streams.
    package func kind(stream: UnsafeRawBufferPointer) -> StreamKind? {
        for index in categories.indices where stream.isStream(of: categories[index]) {
            return StreamKind(kind: Kind(number: categoryKinds[index]), idStart: categories[index].count + 1)
        }
        return nil
    }

    /// Every table of every model in the main environment, by number.
    package var tables: [ModelTable] {
        (builtInKinds.flatMap(\.tables) + StreamTables.all).sorted { $0.number < $1.number }
    }

    /// The names of the models in the main environment, those of the kinds first.
    package var models: [String] { (builtInKinds.flatMap(\.tables) + StreamTables.all).map(\.model).distinct }

    /// Returns the tables of a model; the model's count is the number of entries in the first one.
    package func tables(of model: String) -> [ModelTable] {
        (builtInKinds.flatMap(\.tables) + StreamTables.all).filter { $0.model == model }
    }

    private static func check(_ kinds: [KindSchema]) throws(SchemaError) {
        let own = kinds.filter { $0.program == nil }
        for tables in [own.flatMap(\.tables) + StreamTables.all] + kinds.filter({ $0.program != nil }).map(\.tables) {
            guard Set(tables.map(\.number)).count == tables.count, Set(tables.map(\.name)).count == tables.count else {
                throw SchemaError("two tables have one number or one name")
            }
        }
        guard Set(kinds.map(\.name)).count == kinds.count, Set(own.map(\.category)).count == own.count else {
            throw SchemaError("two kinds have one name or one category")
        }
    }
}

/// The built-in kinds by name, for forms that ask for one. The numbers are those of `Catalogue.standard`.
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

/// The tables that are independent of the kinds: of streams, categories, types, tags, keys, declared models and
/// cursors.
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
    /// The declared models by name.
    package static let definitions = ModelTable(11, "definitions", of: "definitions")
    /// The types of events, by category and in all.
    package static let types = ModelTable(12, "types", of: "types")
    /// The events of each tag, by position.
    package static let tagEvents = ModelTable(13, "tagEvents", of: "tags", isSet: true)
    /// The cursors of workers by name.
    package static let cursors = ModelTable(14, "cursors", of: "cursors")
    /// The events that were set aside, by cursor and position.
    package static let parkedEvents = ModelTable(15, "parkedEvents", of: "cursors")
    /// All of these tables, those of the model `streams` first.
    package static let all = [
        streams, streamPositions, categories, categoryPositions, keys, definitions, types, tagEvents, cursors,
        parkedEvents,
    ]
}

/// The kind of a stream of content.
package struct StreamKind {
    /// The kind of the content.
    package let kind: Kind
    /// The offset of the ID in the stream's name, in bytes.
    package let idStart: Int
}
