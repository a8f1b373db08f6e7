/// A form that a client filled in: the only way to a command.
///
/// `build` checks every field and reports every wrong one at once; a command's own initializer is private to the file
/// of its form, so that an unchecked command does not compile.
package protocol Form {
    associatedtype FieldID: FormFieldID
    associatedtype Command: Sendable

    /// Creates the form from the fields that the client sent.
    init(_ fields: FormFields)

    /// Checks the fields and returns the command, or every wrong field.
    func build(in directory: any Directory) -> Result<Command, FormErrors<FieldID>>
}

/// The fields of one form; the raw value is the field's name on the wire.
package protocol FormFieldID: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A look-up of the content that a form refers to.
package protocol Directory {
    /// Returns true when content of a kind has this ID.
    func has(_ kind: Kind, _ id: Identifier) -> Bool
    /// Returns the category of a kind, for the sentence that content is missing.
    func category(of kind: Kind) -> String
}

/// A directory in which everything exists, to compare a request with an event that was checked when it was made.
package struct TrustingDirectory: Directory {
    /// Creates the directory.
    package init() {}
    /// Returns true for every ID.
    package func has(_ kind: Kind, _ id: Identifier) -> Bool { true }
    /// Returns a word for content of any kind, since none is missing.
    package func category(of kind: Kind) -> String { "content" }
}
