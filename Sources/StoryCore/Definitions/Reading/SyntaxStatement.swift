/// A statement, or the end of a block. The statements of a rule are one list, so that no depth of blocks nests calls.
struct SyntaxStatement: Sendable {
    let position: SourcePosition
    let form: Form

    /// The form of a statement.
    enum Form: Sendable {
        case set(SyntaxTarget, Assignment, SyntaxValue)
        case bind(SyntaxName, SyntaxValue)
        case merge(SyntaxValue)
        case remove
        /// `if`: a block follows, then `otherwise` and another block, or `end`.
        case choice(SyntaxValue)
        case otherwise
        /// `for`: a block and `end` follow.
        case loop([SyntaxName], SyntaxValue)
        /// `row`: a block and `end` follow.
        case row([SyntaxValue])
        case end
    }
}

/// The operator of an assignment.
enum Assignment: String, BitwiseCopyable, Sendable {
    case set = "="
    case add = "+="
    case take = "-="
}

/// The left side of an assignment, as it is written at the start of the statement.
enum SyntaxTarget: Sendable {
    case field(String)
    case entry(String, SyntaxValue)
    case note(SyntaxNote)
}

/// `note.NAME` or `note[KEY].NAME`, as it is written.
struct SyntaxNote: Sendable {
    let key: SyntaxValue?
    let name: String
}
