package import StoryCore

extension KindDeclaration {
    /// The name of the order in which rows were made, which every declared model can be listed in.
    package static let created = "created"

    /// Creates the declaration of a declared model's rows, whose tables are in an environment of their own.
    ///
    /// - Parameters:
    ///   - name: the name of the model in targets.
    ///   - number: the number of the definition, which the cursors of lists carry.
    package init(model name: String, _ definition: Definition, number: UInt64) {
        let category = definition.category
        let program = ProgramRows(
            definition: number, areOfOneStream: category != nil, hasHistory: definition.hasHistory)
        self.init(
            model: name, category: category ?? "", definition.fields, indexes: definition.indexes,
            sorts: definition.sorts, program)
    }

    /// Creates the declaration of fields, indexes and sorts, each named by the fields' numbers.
    ///
    /// Of an index the last field is the sort part, if it has several, and the others are those of equality; of these are
    /// the counts that are kept.
    package init(
        model name: String, category: String, _ fields: [ModelField], indexes: [[Int]], sorts: [Int],
        _ program: ProgramRows
    ) {
        let filters = ModelFilters(fields, sorts)
        let parts = indexes.map { index in index.count > 1 ? Array(index.dropLast()) : index }
        let orders = indexes.map { index in index.count > 1 ? index.last.map(RowOrder.field) ?? .created : .created }
        let ofIndexes = zip(parts, orders).map { (filters.numbers(of: $0), $1) }
        let ofSorts = sorts.map { ([Int](), RowOrder.field($0)) }
        self.init(
            name: name, category: category,
            fields: fields.map { FieldSchema($0.name, $0.type.fieldType, isOptional: true) }, events: [],
            filters: filters.all,
            sorts: [SortSchema(KindDeclaration.created, "Created", by: .created)]
                + sorts.map { SortSchema(fields[$0].name, fields[$0].name, by: .field($0)) },
            rows: ProgramTables.rows, numbers: ProgramTables.numbers,
            indexes: (ofIndexes + ofSorts).enumerated().map { number, index in
                IndexSchema(ProgramTables.index(number), index.0, by: index.1)
            },
            counts: ProgramTables.counts, tallies: KindDeclaration.tallies(ofIndexes.map(\.0)), program: program)
    }

    /// Returns the tallies of all rows and of each combination of filters that an index has, each once.
    private static func tallies(_ filters: [[Int]]) -> [TallySchema] {
        var combinations: [[Int]] = [[]]
        for filters in filters where !combinations.contains(where: { Set($0) == Set(filters) }) {
            combinations.append(filters)
        }
        return combinations.enumerated().map { TallySchema(UInt8(truncatingIfNeeded: $0.offset), $0.element) }
    }
}

extension Definition {
    /// The category of the streams that have a row each; nil where rows are of several streams.
    fileprivate var category: String? {
        guard hasRowsOfOneStream, let categories = program.categories, categories.count == 1 else { return nil }
        return categories.first.map { "\($0)" }
    }
}

/// The filters of a declared model: one for each field but maps, then the bounds of each sort.
private struct ModelFilters {
    private(set) var all: [FilterSchema] = []
    /// The numbers of the filters, by field.
    private var ofFields: [Int: Int] = [:]

    init(_ fields: [ModelField], _ sorts: [Int]) {
        for (number, field) in fields.enumerated() {
            guard let filter = FilterSchema(number, field) else { continue }
            ofFields[number] = all.count
            all.append(filter)
        }
        for sort in sorts {
            let limit = FilterLimit(fields[sort], maxCount: DefinitionLimits.longestText)
            all.append(
                FilterSchema(
                    "since", .notBefore(sort), "VALUE", "only those at this value of the sort or behind it",
                    limit: limit))
            all.append(
                FilterSchema("until", .before(sort), "VALUE", "only those before this value of the sort", limit: limit))
        }
    }

    /// Returns the numbers of the filters of some fields.
    func numbers(of fields: [Int]) -> [Int] { fields.compactMap { ofFields[$0] } }
}

extension FilterSchema {
    /// Creates the filter of a field; nil for a map.
    fileprivate init?(_ number: Int, _ field: ModelField) {
        let name = field.name
        let limit = FilterLimit(field, maxCount: nil)
        let placeholder = field.type.scalar.placeholder
        switch field.type.shape {
        case .map: return nil
        case .one: self.init(name, .field(number), placeholder, "only those with this \(name)", limit: limit)
        case .list, .set, .last:
            self.init(name, .contains(number), placeholder, "only those with this among \(name)", limit: limit)
        }
    }
}

extension FilterLimit {
    /// Creates the limit of the values of a field; nil where the type has none.
    fileprivate init?(_ field: ModelField, maxCount: Int?) {
        guard case .text(let longest) = field.type.scalar else { return nil }
        self = .text(maxCount: maxCount ?? longest, noun: field.name)
    }
}

extension ModelFieldType {
    /// The type of the field in a schema.
    fileprivate var fieldType: FieldType {
        switch shape {
        case .one: PackedScalar(scalar).fieldType
        case .list, .set, .last: .list(PackedScalar(scalar))
        case .map: .map(PackedScalar(scalar))
        }
    }
}

extension ModelFieldType.Scalar {
    /// The word after the equals sign in a line of help.
    fileprivate var placeholder: String {
        switch self {
        case .text: "TEXT"
        case .number: "N"
        case .boolean: "true|false"
        case .time: "TIME"
        }
    }
}
