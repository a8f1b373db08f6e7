/// A form that a client fills in: the only way to a command of a write that has fields.
///
/// `build` checks every field and reports every wrong one at once. Only a form's reader makes a `Command` of fields, so
/// that an unchecked command does not compile.
package protocol Form: SendableMetatype {
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

    /// The fields of the form, as an empty one describes them while it is read.
    static var fields: [FormFieldSchema] {
        var reader = FormReader<FieldID>()
        _ = read(&reader, in: TrustingDirectory())
        return reader.described ?? []
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

/// The members of a form's JSON object, in the order of the line.
package typealias FormFields = [JSONMember]

extension JSONMember: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.equals(right.name) && left.value == right.value
    }
}

// Unchecked: the bytes do not change while the view is valid.
extension JSONMember.Value: Equatable, @unchecked Sendable {
    package static func == (left: JSONMember.Value, right: JSONMember.Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)), (.object(let left), .object(let right)),
            (.array(let left), .array(let right)):
            left.equals(right)
        case (.null, _), (.boolean, _), (.integer, _), (.number, _), (.string, _), (.object, _), (.array, _): false
        }
    }
}
