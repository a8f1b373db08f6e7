/// A name with its position.
struct SyntaxName: Sendable {
    let name: String
    let position: SourcePosition
}

/// A declaration of a definition, as it is written.
struct SyntaxItem: Sendable {
    let position: SourcePosition
    let form: Form

    /// The form of a declaration.
    enum Form: Sendable {
        /// The categories; `*` is all.
        case from([SyntaxName])
        case key([SyntaxValue])
        case field(SyntaxDeclaration)
        case note(SyntaxDeclaration)
        case index([SyntaxName])
        case sort([SyntaxName])
        case history
        /// The types of events, and the statements; `*` is every type without a rule.
        case rule([SyntaxName], [SyntaxStatement])
        /// The statements for every event, after those of its rule.
        case every([SyntaxStatement])
    }
}

/// The declaration of a field or a note, as it is written.
struct SyntaxDeclaration: Sendable {
    let name: SyntaxName
    let type: SyntaxType
    let isOptional: Bool
    /// The value behind `=`.
    let start: SyntaxValue?
}

/// A type, as it is written.
struct SyntaxType: Sendable {
    let position: SourcePosition
    let name: String
    /// The type or the number in parentheses.
    var inner: String?
    /// The number in the parentheses of the inner type.
    var innerNumber: String?
    /// The number behind the comma.
    var count: String?
    /// The word behind the second comma.
    var beyond: String?

    /// The type without white space.
    var spelling: String {
        guard let inner else { return name }
        let rest = [count, beyond].compactMap { $0.map { ",\($0)" } }.joined()
        return name + "(" + inner + (innerNumber.map { "(\($0))" } ?? "") + rest + ")"
    }
}
