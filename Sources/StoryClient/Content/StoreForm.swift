/// The fields of a form; the raw value is the field's name on the wire.
public protocol FormField: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A form that creates or revises content. Its required fields are arguments without which it does not compile.
public protocol StoreForm: Encodable, Hashable, Sendable {
    /// Its fields, to switch over.
    associatedtype Field: FormField
}

/// The error for a form with wrong fields, which has all of them at once.
public struct InvalidForm<Field: FormField>: Error, Hashable, Sendable {
    /// A wrong field of the form.
    public struct Wrong: Hashable, Sendable {
        /// The field.
        public let field: Field
        /// The rule that it violates.
        public let rule: FieldRule
        /// The message for people.
        public let message: String
    }

    /// One sentence about the whole form.
    public let message: String
    /// Every wrong field.
    public let fields: [Wrong]
    /// The wrong options besides the form's fields, such as `key`, `version` and `meta`.
    public let options: [WrongField]

    init(_ message: String, _ wrong: [WrongField]) {
        self.message = message
        fields = wrong.compactMap { wrong in
            Field(rawValue: wrong.field).map { Wrong(field: $0, rule: wrong.rule, message: wrong.message) }
        }
        options = wrong.filter { Field(rawValue: $0.field) == nil }
    }
}
