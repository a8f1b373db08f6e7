/// The commands of one kind, implemented in the kind's own folder.
protocol KindCommand {
    associatedtype Fact: Equatable & Sendable

    /// Returns the command, or every wrong field of its form; nil when the kind does not support such a write.
    static func made(by action: ContentAction, in directory: any Directory) -> Result<Self, Failure>?

    /// The ID that the client chose for new content.
    var givenID: Identifier? { get }
    /// The event that the command produces.
    var event: Fact { get }

    /// Returns the decision on the command in the current state.
    ///
    /// - Throws: the error of reading a row.
    func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision<Fact>
}

extension Form {
    /// Returns the form's command wrapped as the kind's, or every wrong field.
    func command<Wider>(in directory: any Directory, _ wrap: (Command) -> Wider) -> Result<Wider, Failure> {
        switch build(in: directory) {
        case .success(let command): .success(wrap(command))
        case .failure(let errors): .failure(errors.failure)
        }
    }
}
