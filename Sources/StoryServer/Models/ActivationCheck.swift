import StoryCore
import StoryFold
import StoryWire

/// The comparison of a definition that a replica builds with the one of its source, by the counts in `ModelActivated`.
struct ActivationCheck {
    private let json = JSONObjectReader()

    /// Returns how a definition that is folded up to the event before differs; nil where it does not, or the event is no
    /// activation of it.
    ///
    /// - Throws: the error of reading the store.
    func difference(of definition: ServedDefinition, at record: EventRecord) throws(StorageError) -> String? {
        guard let event = DeclaredModel.activation(of: definition.name, in: record, json),
            event.definition == definition.folder.number
        else { return nil }
        let (rows, misfits) = (try definition.rows(), try definition.misfits())
        guard rows != event.rows || misfits != event.misfits else { return nil }
        return
            "at position \(record.position.value) the source has \(event.rows) rows and \(event.misfits) misfits, and "
            + "this replica \(rows) and \(misfits)"
    }
}
