package import StoryCore
package import StoryLog

/// Appending without a look at the record, and commits and rollbacks of all appended events.
extension EventLog {
    /// Appends the event after `head`.
    ///
    /// - Throws: as the requirement.
    package func append(_ event: EventHeader, json: UnsafeRawBufferPointer) throws(StorageError) {
        try append(event, json: json) { _ in }
    }

    /// Begins a commit of all appended events.
    ///
    /// - Throws: as the requirement.
    package func beginCommit() throws(StorageError) -> CommitJob? { try beginCommit(through: head) }

    /// Removes every event that is not committed.
    ///
    /// - Throws: as `rollBack(to:)`.
    package func rollBack() throws(StorageError) { try rollBack(to: committed) }
}
