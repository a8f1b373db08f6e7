/// A write that a kind takes: its verb, the fields of its form, and the making of its command.
package struct WriteSchema: Sendable {
    /// The verb that asks for the write.
    package let verb: WriteVerb
    /// The fields of the form, in the order in which it reads them; none for a write without a form.
    package let fields: [FormFieldSchema]
    /// The factory of the command; nil where every request is refused.
    let command: CommandMaking?

    /// Creates a write with a form, which describes its fields itself.
    init<F: Form>(
        _ verb: WriteVerb, _ form: F.Type, _ command: @escaping @Sendable (Command<F.Fact>) -> ContentCommand
    ) {
        self.verb = verb
        fields = form.fields
        self.command = { fields, directory in form.command(fields, in: directory).map(command) }
    }

    /// Creates a write without a form.
    init(_ verb: WriteVerb, _ command: ContentCommand) {
        self.verb = verb
        fields = []
        self.command = { _, _ in .success(command) }
    }

    /// Creates a write that every request is refused for.
    package init(refused verb: WriteVerb, _ fields: [FormFieldSchema] = []) {
        (self.verb, self.fields, command) = (verb, fields, nil)
    }
}

/// Makes a command of the fields of a form, or returns every wrong field.
package typealias CommandMaking = @Sendable (FormFields, any Directory) -> Result<ContentCommand, Failure>

/// One field of a form, as the form's reading describes it.
package struct FormFieldSchema: Equatable, Sendable {
    /// The field's name on the wire.
    package let name: String
    /// The values that it takes.
    package let type: FormFieldType
    /// True where a form without it is refused.
    package internal(set) var isRequired = false

    /// Creates a field that a form need not have.
    package init(name: String, type: FormFieldType) { (self.name, self.type) = (name, type) }
}

/// The values that a field of a form takes.
package enum FormFieldType: Equatable, Sendable {
    /// A text of one line with up to `limit` characters.
    case line(limit: Int)
    /// A text of several lines with up to `limit` characters.
    case text(limit: Int)
    /// An e-mail address.
    case email
    /// The ID of new content.
    case newID
    /// The ID of content of a kind.
    case reference(Kind)
    /// An RFC 3339 date.
    case date
    /// One number of a list that is a range.
    case selection(ClosedRange<Int64>)
    /// A number within a limit.
    case number(NumberLimit)
    /// A fraction of whole numbers.
    case fraction
    /// One of these words.
    case choice([String])
}

/// A limit of a number in a form.
package enum NumberLimit: Equatable, Sendable {
    /// Greater than a bound.
    case above(Int)
    /// Within a range.
    case within(ClosedRange<Int>)

    /// Returns true for a number within the limit.
    func holds(_ number: Double) -> Bool {
        switch self {
        case .above(let bound): number > Double(bound)
        case .within(let range): number >= Double(range.lowerBound) && number <= Double(range.upperBound)
        }
    }

    /// The limit as the sentence about a wrong field has it: `from −20 to 20`.
    var meaning: String {
        func spelled(_ bound: Int) -> String { bound < 0 ? "−\(bound.magnitude)" : "\(bound)" }
        switch self {
        case .above(let bound): return "more than \(spelled(bound))"
        case .within(let range): return "from \(spelled(range.lowerBound)) to \(spelled(range.upperBound))"
        }
    }
}
