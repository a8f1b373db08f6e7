import StoryStorage
import StoryCore

/// The detection of a log whose file is a copy that was made by other means than a backup; its history gets an ID of
/// its own.
///
/// The header of a log notes the file that it was written to. A copy has the same note but is another file. Both could
/// be appended to under one ID, and a consumer that resumes in one could not distinguish it from the other.
enum LogNaming {
    /// Writes a header with a new ID if the log is a copy and all its events are in blocks.
    ///
    /// - Parameters:
    ///   - old: the present header of the log.
    ///   - head: the last event.
    ///   - isFlushed: whether all events are in blocks.
    /// - Returns: the header that the log is to be served under; and the reason to accept no events under the ID of the
    ///   original, if there is no room to write another.
    /// - Throws: `.failed` if the system refuses to identify the file, or it is unknown whether the header was written.
    static func name(
        _ old: LogHeader, in environment: Environment, at head: Position, isFlushed: Bool
    ) throws(StorageError) -> (header: LogHeader, refusal: StorageError?) {
        let file = try FileIdentity(environment.fileDescriptor)
        guard !old.file.isSame(as: file) else { return (old, nil) }
        let header = old.with(old.identity.copy(id: try RandomBytes.make(LogHeader.idCount), at: head), in: file)
        do throws(StorageError) {
            if isFlushed {
                try header.replace(in: environment)
                return (header, nil)
            }
        } catch {
            guard case .full = error else { throw error }
        }
        let reason =
            "\(environment.path) is a copy, and there is no room to give its history a name of its own: make room and "
            + "start it again"
        return (old, .full(reason))
    }
}
