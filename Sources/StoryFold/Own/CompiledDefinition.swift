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

    /// Compiles a text that the log has.
    ///
    /// - Throws: `.failed` for a text of another language.
    package convenience init(_ name: String, _ numbered: DeclaredModel.Numbered) throws(StorageError) {
        let text = String(decoding: numbered.text, as: UTF8.self)
        guard let definition = try? Definition.read(text) else {
            throw .failed("definition \(numbered.number) of \(name) is of another language")
        }
        try self.init(name, number: numbered.number, definition)
    }

    /// Makes the schema of a definition.
    ///
    /// - Throws: `.failed` where the schema contradicts itself.
    package init(_ name: String, number: UInt32, _ definition: Definition) throws(StorageError) {
        (self.name, self.number, self.definition) = (name, number, definition)
        declaration = KindDeclaration(model: name, definition, number: UInt64(number))
        do throws(SchemaError) {
            plan = CataloguePlan(try Catalogue([declaration]))
        } catch {
            throw .failed("definition \(number) of \(name) is no schema: \(error)")
        }
    }

    /// The program that folds an event.
    package var program: Program { definition.program }
    /// The plan of the rows, valid as long as the definition.
    package var rows: KindPlan { plan[Kind(number: 0)] }
    /// The schema of the rows.
    package var schema: KindSchema { rows.schema }
}
