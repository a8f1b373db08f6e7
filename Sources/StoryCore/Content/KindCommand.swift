/// What each kind tells of its own commands, in its own folder.
protocol KindCommand {
    associatedtype Fact: Equatable & Sendable

    /// The command, or every wrong field of its form; nil when the kind does not take such a write.
    static func made(by action: ContentAction, in directory: any Directory) -> Result<Self, Failure>?

    /// The ID that the client chose for something new.
    var givenID: Identifier? { get }
    /// The event that carrying it out makes.
    var event: Fact { get }

    /// - Throws: what reading failed with.
    func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision<Fact>
}

extension Form {
    /// The kind's command that the form's becomes, or every wrong field.
    func command<Wider>(in directory: any Directory, _ wrap: (Command) -> Wider) -> Result<Wider, Failure> {
        switch build(in: directory) {
        case .success(let command): .success(wrap(command))
        case .failure(let errors): .failure(errors.failure)
        }
    }
}
