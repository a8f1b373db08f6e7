/// Every wrong field of one form.
package struct FormErrors<FieldID: FormFieldID>: Error, Equatable, Sendable {
    /// A field of the form, or a name that the form does not have.
    package enum Field: Equatable, Sendable {
        case known(FieldID)
        case unknown(String)

        /// The name of the field on the wire.
        package var name: String {
            switch self {
            case .known(let field): field.rawValue
            case .unknown(let name): name
            }
        }
    }

    /// One wrong field.
    package struct Entry: Equatable, Sendable {
        /// The field that is wrong.
        package let field: Field
        /// The rule that the field breaks.
        package let rule: FieldRule
        /// The explanation for a person.
        package let message: String
    }

    /// The wrong fields, in the order in which they were found.
    package private(set) var entries: [Entry] = []

    /// True when no field is wrong.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a wrong field.
    package mutating func add(_ field: Field, _ rule: FieldRule, _ message: String) {
        entries.append(Entry(field: field, rule: rule, message: message))
    }

    /// Returns the rule that a field breaks; nil when it is right.
    package func rule(of field: FieldID) -> FieldRule? { entries.first { $0.field == .known(field) }?.rule }

    /// The refusal that the client gets.
    package var failure: Failure {
        let fields = entries.map { FieldError(field: $0.field.name, rule: $0.rule, message: $0.message) }
        let names = fields.prefix(5).map(\.field).joined(separator: ", ")
        return Failure(
            .invalid, "\(fields.count == 1 ? "1 field is" : "\(fields.count) fields are") wrong: \(names)",
            .fields(fields))
    }
}
