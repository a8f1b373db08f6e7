/// A form that a client fills in: the only way to a command of a write that has fields.
///
/// `build` checks every field and reports every wrong one at once. Only a form's reader makes a `Command` of fields, so
/// that an unchecked command does not compile.
package protocol Form {
    associatedtype FieldID: FormFieldID
    associatedtype Fact: Equatable & Sendable

    /// Reads every field and returns the command; nil where a required field is absent or wrong.
    static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<Fact>?
}

extension Form {
    /// Checks the fields and returns the command, or every wrong field.
    package static func build(
        _ fields: FormFields, in directory: any Directory
    ) -> Result<Command<Fact>, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let command = read(&reader, in: directory)
        guard let command, reader.errors.isEmpty else { return .failure(reader.errors) }
        return .success(command)
    }

    /// Checks the fields and returns the command, or the refusal that names every wrong field.
    static func command(_ fields: FormFields, in directory: any Directory) -> Result<Command<Fact>, Failure> {
        build(fields, in: directory).mapError(\.failure)
    }
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
