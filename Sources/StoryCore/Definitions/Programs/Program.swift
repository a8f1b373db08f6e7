/// The compiled rules of a definition.
///
/// Unchecked: the tables are made once and never change.
package final class Program: @unchecked Sendable {
    /// The paths of the event's data and meta that the rules use; an event's values have the same numbers.
    package let paths: [EventPath]
    /// The line of the first use of each path.
    package let pathLines: [Int]
    /// The fields of a row.
    let fields: [ModelField]
    /// The values of a note record.
    let notes: [ModelField]
    /// The categories that the program reads; nil is all but the store's own.
    package let categories: Set<String>?
    /// The lines of the categories and of the types of events that the text names.
    package let categoryLines: [String: Int]
    package let typeLines: [String: Int]
    /// The types of events that have a rule of their own, and whether every other type has one.
    package let types: (named: Set<String>, hasOthers: Bool)
    /// The types of the fields and of the notes, for `PackedRecord`.
    package let fieldTypes: UnsafeBufferPointer<ModelFieldType>
    package let noteTypes: UnsafeBufferPointer<ModelFieldType>

    let code: UnsafePointer<ProgramCode>
    private let memory: FixedMemory

    init(_ source: ProgramSource) {
        memory = source.memory
        paths = source.paths
        pathLines = source.pathLines
        fields = source.fields
        notes = source.notes
        categories = source.categories
        categoryLines = source.categoryLines
        typeLines = source.typeLines
        types = (Set(source.typeLines.keys), source.otherRule != nil)
        fieldTypes = memory.table(source.fields.map(\.type))
        noteTypes = memory.table(source.notes.map(\.type))
        let room = memory.room(for: ProgramCode.self)
        room.initialize(to: source.code)
        code = UnsafePointer(room)
    }

    /// The lines of the statements that an event may not fit, in their order: equal rules have as many.
    var lines: [Int] {
        (code.pointee.rules + [code.pointee.otherRule].compactMap { $0 }).flatMap { rule in
            rule.instructions.compactMap { $0.line.map { Int($0) } }
        }
    }

    /// Returns true where the program reads a category.
    package func reads(category: UnsafeRawBufferPointer) -> Bool { code.pointee.reads(category) }

    /// Returns true where the program reads one of these categories.
    package func reads(anyOf categories: [String]) -> Bool {
        categories.contains { name in Array(name.utf8).withBytes { reads(category: $0) } }
    }

    /// Returns true where the program has a rule for a type of events.
    package func hasRule(type: UnsafeRawBufferPointer) -> Bool { code.pointee.rule(type) != nil }
}

/// The parts of a program while it is compiled.
struct ProgramSource {
    let memory = FixedMemory()
    let fields: [ModelField]
    let notes: [ModelField]
    var paths: [EventPath] = []
    var pathLines: [Int] = []
    var expressions: [Expression] = []
    var constants: [ModelValue] = []
    var lists: [Expression.Number] = []
    var key: ExpressionList?
    var categories: Set<String>? = []
    var categoryLines: [String: Int] = [:]
    var typeLines: [String: Int] = [:]
    var rules: [ProgramCode.Rule] = []
    var otherRule: ProgramCode.Rule?

    /// The tables, in the source's memory.
    var code: ProgramCode {
        ProgramCode(
            expressions: memory.table(expressions), constants: memory.table(constants), lists: memory.table(lists),
            fields: memory.table(fields.map(plan)), notes: memory.table(notes.map(plan)),
            start: memory.table(fields.map(start)), key: key,
            rules: memory.table(rules), otherRule: otherRule,
            categories: categories.map { memory.table($0.sorted().map { memory.bytes($0) }) },
            builtInCategories: memory.table(Definition.builtInCategories.sorted().map { memory.bytes($0) }))
    }

    /// Returns a value of the program's own bytes.
    func value(_ literal: Literal) -> ModelValue {
        switch literal {
        case .boolean(let value): .boolean(value)
        case .number(let number): .number(number)
        case .text(let text): .text(memory.bytes(text.bytes))
        }
    }

    private func plan(_ field: ModelField) -> ProgramCode.Field {
        ProgramCode.Field(name: memory.bytes(field.name), type: field.type, isOptional: field.isOptional)
    }

    private func start(_ field: ModelField) -> ModelValue {
        field.start.flatMap { try? field.type.scalar.fit(value($0)) } ?? .missing
    }
}

/// The tables of a compiled program, valid as long as the program.
package struct ProgramCode: BitwiseCopyable {
    /// The instructions for one type of event.
    struct Rule: BitwiseCopyable {
        let type: UnsafeRawBufferPointer
        let instructions: UnsafeBufferPointer<Instruction>
        let localCount: Int
    }

    /// A field or a note as the fold needs it.
    struct Field: BitwiseCopyable {
        let name: UnsafeRawBufferPointer
        let type: ModelFieldType
        let isOptional: Bool
    }

    let expressions: UnsafeBufferPointer<Expression>
    let constants: UnsafeBufferPointer<ModelValue>
    /// The lists of expressions, one behind the other.
    let lists: UnsafeBufferPointer<Expression.Number>
    let fields: UnsafeBufferPointer<Field>
    let notes: UnsafeBufferPointer<Field>
    /// The values of a new row.
    let start: UnsafeBufferPointer<ModelValue>
    /// The key of all rows; nil is the ID of the event's stream.
    let key: ExpressionList?
    let rules: UnsafeBufferPointer<Rule>
    /// The rule of every other type.
    let otherRule: Rule?
    /// The categories that the program reads; nil is all but the store's own.
    let categories: UnsafeBufferPointer<UnsafeRawBufferPointer>?
    let builtInCategories: UnsafeBufferPointer<UnsafeRawBufferPointer>

    /// Returns the rule for a type; nil where there is none.
    func rule(_ type: UnsafeRawBufferPointer) -> Rule? {
        for rule in rules where rule.type.equals(type) { return rule }
        return otherRule
    }

    /// Returns true where the program reads a category.
    func reads(_ category: UnsafeRawBufferPointer) -> Bool {
        if let categories { return categories.contains { $0.equals(category) } }
        return !builtInCategories.contains { $0.equals(category) }
    }
}
