package import StoryCore

/// A definition of a declared model, compiled, with the schema of its rows.
package final class CompiledDefinition {
    /// The name of the model.
    package let name: String
    /// The number of the definition.
    package let number: UInt32
    /// The definition with its program.
    package let definition: Definition
    /// The declaration of the rows.
    package let declaration: KindDeclaration
    /// The plan of a catalogue that has the model alone.
    package let plan: CataloguePlan
    /// The work of each rule at most, by its number.
    private let works: [RuleWork]

    /// Compiles a text that the log has.
    ///
    /// - Throws: `.failed` for a text that this language refuses, with its first fault.
    package convenience init(_ name: String, _ numbered: DeclaredModel.Numbered) throws(StorageError) {
        let text = String(decoding: numbered.text, as: UTF8.self)
        let definition: Definition
        do throws(DefinitionFaults) {
            definition = try Definition.read(text)
        } catch {
            let fault = error.faults.first.map { ": \($0)" } ?? ""
            throw .failed("definition \(numbered.number) of \(name) cannot be read\(fault)")
        }
        try self.init(name, number: numbered.number, definition)
    }

    /// Makes the schema of a definition.
    ///
    /// - Throws: `.failed` where the schema contradicts itself.
    package init(_ name: String, number: UInt32, _ definition: Definition) throws(StorageError) {
        (self.name, self.number, self.definition) = (name, number, definition)
        works = definition.program.works(row: CompiledDefinition.rowWork(definition))
        declaration = KindDeclaration(model: name, definition, number: UInt64(number))
        do throws(SchemaError) {
            plan = CataloguePlan(try Catalogue([declaration]))
        } catch {
            throw .failed("definition \(number) of \(name) is no schema: \(error)")
        }
    }

    /// Returns the work of folding an event of a type; nil where the definition has no rule for it.
    package func work(of type: UnsafeRawBufferPointer) -> RuleWork? { program.ruleNumber(type: type).map { works[$0] } }

    /// The most work of any rule.
    package var most: Work { works.reduce(.zero) { max($0, $1.most(elements: .max)) } }

    /// Returns the work of reading and writing a row with the entries of its indexes at most.
    private static func rowWork(_ definition: Definition) -> Work {
        let fields = definition.indexes.flatMap { $0 }.map { definition.fields[$0].type }
        let elements = fields.reduce(1) { max($0, $1.count) }
        let entries = 2 + 2 * (definition.indexes.count * elements + definition.sorts.count)
        let copies = definition.hasHistory ? 4 : 3
        return .changedRow + entries * .entry + .folded(copies * definition.program.mostRowBytes)
    }

    /// The program that folds an event.
    package var program: Program { definition.program }
    /// The plan of the rows, valid as long as the definition.
    package var rows: KindPlan { plan[Kind(number: 0)] }
    /// The schema of the rows.
    package var schema: KindSchema { rows.schema }
}
