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
    let ownCategories: UnsafeBufferPointer<UnsafeRawBufferPointer>

    /// Returns the rule for a type; nil where there is none.
    func rule(_ type: UnsafeRawBufferPointer) -> Rule? {
        for rule in rules where rule.type.equals(type) { return rule }
        return otherRule
    }

    /// Returns true where the program reads a category.
    func reads(_ category: UnsafeRawBufferPointer) -> Bool {
        if let categories { return categories.contains { $0.equals(category) } }
        return !ownCategories.contains { $0.equals(category) }
    }
}
