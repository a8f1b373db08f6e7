import StoryStorage
import StoryCore

/// The detection of a log whose file is a copy that was made by other means than a backup; its history gets an ID of
/// its own.
///
/// The header of a log notes the file that it was written to. A copy has the same note but is another file. Both could
/// be appended to under one ID, and a consumer that resumes in one could not distinguish it from the other.
struct LogNaming {
    /// The ID that the log is to be served under.
    enum Outcome {
        /// Its present ID.
        case kept
        /// A new ID.
        case named(LogHeader)
        /// The log is a copy, and there is no room to write a new ID: it accepts no events under the ID of the
        /// original.
        case refused(StorageError)
    }

    private let environment: Environment
    private let old: LogHeader
    private let file: FileIdentity

    /// Reads the identity of the log's file.
    ///
    /// - Parameter old: the present header of the log.
    /// - Throws: `.failed` if the system refuses to identify the file.
    init(_ environment: Environment, _ old: LogHeader) throws(StorageError) {
        self.environment = environment
        self.old = old
        file = try environment.fileIdentity()
    }

    /// Writes a new header if one is needed and all events are in blocks; returns the outcome.
    ///
    /// - Parameters:
    ///   - isFlushed: whether all events are in blocks.
    ///   - head: the last event.
    /// - Throws: `.failed` if it is unknown whether the header was written.
    func run(isFlushed: Bool, _ head: Position) throws(StorageError) -> Outcome {
        guard !old.file.isSame(as: file) else { return .kept }
        let header = old.with(old.identity.copy(id: try RandomBytes.make(LogHeader.idCount), at: head), in: file)
        return isFlushed ? try written(header) ? .named(header) : .refused(refusal) : .refused(refusal)
    }

    private var refusal: StorageError {
        .full(
            "\(environment.path) is a copy, and there is no room to give its history a name of its own: make room and start "
                + "it again")
    }

    /// Writes a header; false if there is no room.
    private func written(_ header: LogHeader) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try header.replace(in: environment)
            return true
        } catch {
            guard case .full = error else { throw error }
            return false
        }
    }
}
