/// What a client filled in: the only way to a command.
///
/// `build` checks every field and reports every wrong one at once; a command's own initializer is private to the
/// file of its form, so that an unchecked command does not compile.
package protocol Form {
    associatedtype FieldID: FormFieldID
    associatedtype Command: Sendable

    init(_ fields: FormFields)

    func build(in directory: any Directory) -> Result<Command, FormErrors<FieldID>>
}

/// The fields of one form; the raw value is the field's name on the wire.
package protocol FormFieldID: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// What a form may ask of the world: whether what it names is there.
package protocol Directory {
    /// True when there is content of a kind with an ID.
    func has(_ kind: Kind, _ id: Identifier) -> Bool
}

/// A directory in which everything exists: for comparing a request with an event that was checked when it was made.
package struct TrustingDirectory: Directory {
    package init() {}
    package func has(_ kind: Kind, _ id: Identifier) -> Bool { true }
}
