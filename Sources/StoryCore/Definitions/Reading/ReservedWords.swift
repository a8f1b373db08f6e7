/// The words that are no names.
enum ReservedWords {
    /// The words of the language.
    static let language: Set<String> = [
        "if", "else", "for", "in", "row", "note", "let", "remove", "merge", "true", "false", "none", "data", "meta",
        "event",
    ]

    /// The members of each row, and the options of `LIST`, which no field is called.
    static let options: Set<String> = [
        "id", "version", "changes", "position", "created", "sort", "order", "limit", "after", "since", "until", "at",
        "min", "wait", "where", "fields", "format",
    ]
}
