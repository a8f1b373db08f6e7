/// The words that are no names.
enum ReservedWords {
    /// The words of the language.
    static let language: Set<String> = [
        "if", "else", "for", "in", "row", "note", "let", "remove", "merge", "true", "false", "none", "data", "meta",
        "event",
    ]

    /// The words that declarations begin with, but for fields.
    static let declarations = ["from", "key", "note", "index", "sort", "history", "on", "every"]

    /// The words that statements begin with, but for assignments.
    static let statements = ["if", "else", "for", "row", "let", "merge", "remove"]

    /// The words that values begin with, but for names and functions.
    static let values = ["data", "meta", "event", "note", "row", "true", "false", "none"]

    /// The members of each row, and the options of `LIST`, which no field is called.
    static let options: Set<String> = [
        "id", "version", "changes", "position", "created", "sort", "order", "limit", "after", "since", "until", "at",
        "min", "wait", "where", "fields", "format",
    ]
}
