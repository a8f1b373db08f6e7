/// The decision on a command in the current state.
package enum Decision: Equatable, Sendable {
    /// The event that the command asks for is to be appended.
    case append
    /// The command would change nothing.
    case unchanged
    case refused(Refusal)
}

/// The reason why a valid command cannot be carried out in the current state.
package enum Refusal: Equatable, Sendable {
    /// The ID was never used.
    case notFound
    /// The content with this ID was deleted.
    case gone
    /// The ID is in use, or was before a deletion.
    case idTaken
    /// Other content already has the value of a field that must be unique.
    case taken(field: String, message: String)

    /// Returns the failure that the client gets.
    ///
    /// - Parameter target: the content that the command is aimed at: `stories/12345`.
    package func failure(of target: String) -> Failure {
        switch self {
        case .notFound: .notFound(target)
        case .gone: .gone(target)
        case .idTaken: Failure(.exists, "\(target) exists or did: an ID is used once", .field("id"))
        case .taken(let field, let message): Failure(.exists, message, .field(field))
        }
    }
}

extension Failure {
    /// Returns the failure for an ID that was never used.
    package static func notFound(_ target: String) -> Failure { Failure(.notFound, "there is no \(target)") }

    /// Returns the failure for an ID whose content was deleted, or erased by the event at a position.
    package static func gone(_ target: String, erased: Position? = nil) -> Failure {
        guard let erased else { return Failure(.gone, "\(target) was deleted; its history can be read") }
        return Failure(.gone, "\(target) was erased, by the event at position \(erased.value)", .erased(erased))
    }
}

/// The state of one ID: never used, live or deleted.
package enum Existence<Fields: Equatable & Sendable>: Equatable, Sendable {
    case none
    /// The content exists, with the fields that a decision looks at.
    case live(Fields)
    case gone

    /// The decision on a command that creates the content.
    var creation: Decision { self == .none ? .append : .refused(.idTaken) }

    /// Returns the decision on a command that changes live content.
    ///
    /// - Parameter isChange: returns false when the fields would stay as they are.
    func change(_ isChange: (Fields) -> Bool) -> Decision {
        switch self {
        case .none: .refused(.notFound)
        case .gone: .refused(.gone)
        case .live(let fields): isChange(fields) ? .append : .unchanged
        }
    }
}

/// A command that its form has checked: the event that a client asks for, and the ID that it chose.
package struct Command<Fact: Equatable & Sendable>: Equatable, Sendable {
    /// The event that the client asks for.
    package let event: Fact
    /// The ID that the client chose for new content; nil where it chose none.
    package let givenID: Identifier?

    fileprivate init(_ event: Fact, givenID: Identifier?) {
        self.event = event
        self.givenID = givenID
    }

    /// Creates the command of a write that has no fields to check.
    init(withoutFields event: Fact) { self.init(event, givenID: nil) }
}

extension FormReader {
    /// Returns the command for the event that the fields make; `Form.build` gives it out when no field is wrong.
    func command<Fact>(_ event: Fact) -> Command<Fact> { Command(event, givenID: givenID) }
}

/// The rows that a decision may read.
package protocol ContentRows: AnyObject {
    /// Calls `body` with the row that has an ID; returns false when there is none. The row is valid until `body`
    /// returns.
    ///
    /// - Throws: the error of reading the row.
    func row(_ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void) throws(StorageError) -> Bool

    /// Calls `body` with the row that has a unique text, given with its ASCII letters in lower case; returns false when
    /// there is none. The row is valid until `body` returns.
    ///
    /// - Throws: the error of reading the row.
    func row(_ schema: KindSchema, folded text: [UInt8], _ body: (RowView) -> Void) throws(StorageError) -> Bool

    /// Returns true when a set has an entry of a row and a name.
    ///
    /// - Throws: the error of reading the set.
    func contains(_ table: ModelTable, number: StreamNumber, _ name: Identifier) throws(StorageError) -> Bool
}

/// The content that a decision is about.
package struct ContentSubject {
    /// The schema of the content's kind.
    package let kind: KindSchema
    /// The ID of the content.
    package let id: Identifier
    /// The number of its stream; nil when the ID was never used.
    package let number: StreamNumber?

    /// Creates a subject.
    package init(kind: KindSchema, id: Identifier, number: StreamNumber?) {
        self.kind = kind
        self.id = id
        self.number = number
    }
}

extension ContentRows {
    /// Returns the state of an ID.
    ///
    /// - Parameter fields: returns the parts of a row that the decision looks at.
    func existence<Fields: Equatable & Sendable>(
        of subject: ContentSubject, _ fields: (RowView) -> Fields
    ) throws(StorageError) -> Existence<Fields> {
        guard subject.number != nil else { return .none }
        var existence = Existence<Fields>.gone
        _ = try row(subject.kind, subject.id) { existence = .live(fields($0)) }
        return existence
    }
}
