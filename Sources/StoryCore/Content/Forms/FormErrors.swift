/// Every wrong field of one form.
package struct FormErrors<FieldID: FormFieldID>: Error, Equatable, Sendable {
    /// The wrong fields, in the order in which they were found.
    package private(set) var entries: [FieldError] = []

    /// True when no field is wrong.
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a wrong field, or a name that the form does not have.
    package mutating func add(_ field: String, _ rule: FieldRule, _ message: String) {
        entries.append(FieldError(field: field, rule: rule, message: message))
    }

    /// Returns the rule that a field breaks; nil when it is right.
    package func rule(of field: FieldID) -> FieldRule? { entries.first { $0.field == field.rawValue }?.rule }

    /// The refusal that the client gets.
    package var failure: Failure {
        let names = entries.prefix(5).map(\.field).joined(separator: ", ")
        return Failure(
            .invalid, "\(entries.count == 1 ? "1 field is" : "\(entries.count) fields are") wrong: \(names)",
            .fields(entries))
    }
}
