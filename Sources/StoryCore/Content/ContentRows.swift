/// What a decision may ask of the world.
package protocol ContentRows: AnyObject {
    /// Lends the row with an ID; false when there is none.
    ///
    /// - Throws: what reading failed with.
    func row(_ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void) throws(StorageError) -> Bool

    /// Lends the row that has a unique text, its ASCII letters in lower case; false when there is none.
    ///
    /// - Throws: what reading failed with.
    func row(_ schema: KindSchema, folded text: [UInt8], _ body: (RowView) -> Void) throws(StorageError) -> Bool

    /// True when a set has an entry of a row and a name.
    ///
    /// - Throws: what reading failed with.
    func contains(_ table: ModelTable, number: StreamNumber, _ name: Identifier) throws(StorageError) -> Bool
}

/// What a decision is about.
package struct ContentSubject {
    package let kind: KindSchema
    package let id: Identifier
    /// The number of its stream; nil when nothing ever had the ID.
    package let number: StreamNumber?

    package init(kind: KindSchema, id: Identifier, number: StreamNumber?) {
        self.kind = kind
        self.id = id
        self.number = number
    }
}

extension ContentRows {
    /// What has become of an ID.
    ///
    /// - Parameter fields: what a decision looks at of a row.
    func existence<Fields: Equatable & Sendable>(
        of subject: ContentSubject, _ fields: (RowView) -> Fields
    ) throws(StorageError) -> Existence<Fields> {
        guard subject.number != nil else { return .none }
        var existence = Existence<Fields>.gone
        _ = try row(subject.kind, subject.id) { existence = .live(fields($0)) }
        return existence
    }
}
