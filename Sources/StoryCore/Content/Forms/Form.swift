/// The form of a write: its fields, and the data of the event that it asks for.
///
/// Every field is checked, and every wrong one is reported at once. Nothing else makes a `Checked` of a client's fields,
/// so that an unchecked command does not compile.
package protocol Form {
    associatedtype FieldID: FormFieldID
    associatedtype Fact: Equatable & Sendable

    /// Reads every field and returns the data of the event; nil where a required field is absent or wrong.
    static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Fact?
}

/// An event, or the data of one, that passed its form.
package struct Checked<Fact: Equatable & Sendable>: Equatable, Sendable {
    /// The ID that the client chose for new content; nil where it chose none.
    package let givenID: Identifier?
    /// The event, or its data.
    package let event: Fact

    fileprivate init(_ event: Fact, givenID: Identifier?) {
        self.givenID = givenID
        self.event = event
    }

    /// Wraps the event of a request that has no fields to check.
    init(withoutFields event: Fact) { self.init(event, givenID: nil) }
}

extension Form {
    /// Checks the fields and returns the data of the event, or every wrong field.
    package static func build(
        _ fields: FormFields, in directory: any Directory
    ) -> Result<Checked<Fact>, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let fact = read(&reader, in: directory)
        guard let fact, reader.errors.isEmpty else { return .failure(reader.errors) }
        return .success(Checked(fact, givenID: reader.givenID))
    }

    /// Returns the event that the form asks for, which `wrap` makes of its data, or the refusal of every wrong field.
    static func command<Event>(
        _ fields: FormFields, in directory: any Directory, _ wrap: (Fact) -> Event
    ) -> Result<Checked<Event>, Failure> {
        switch build(fields, in: directory) {
        case .success(let checked): .success(Checked<Event>(wrap(checked.event), givenID: checked.givenID))
        case .failure(let errors): .failure(errors.failure)
        }
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
