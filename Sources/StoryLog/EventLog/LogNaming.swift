import StoryStorage
import StoryCore

/// Names the history of a log anew where its file is a copy that was made by other means than a backup.
///
/// The header of a log notes the file that it was written to. A copy brings the note along and is another file: both
/// could be written on, under one name, and a consumer that resumes in one could not tell it from the other.
struct LogNaming {
    let environment: Environment

    /// The header to serve a log with.
    ///
    /// - Parameters:
    ///   - old: the header that the log has. One of version 2 notes no file, and is given the present one.
    ///   - head: the last event; all events are in blocks.
    /// - Throws: `.full` where there is no room for the new name, `.failed` where it cannot be made.
    func header(_ old: LogHeader, at head: Position) throws(StorageError) -> LogHeader {
        let file = try environment.fileIdentity()
        if let noted = old.file, noted.isSame(as: file) { return old }
        let identity =
            old.file == nil
            ? old.identity : old.identity.copy(id: try RandomBytes.make(LogHeader.idCount), at: head)
        let header = old.with(identity, in: file)
        do throws(StorageError) {
            try header.replace(in: environment)
        } catch {
            guard case .full = error else { throw error }
            throw .full("there is no room to name the history of the copy in \(environment.path) anew")
        }
        return header
    }
}
