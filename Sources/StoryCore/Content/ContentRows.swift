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
