import StoryStorage
import StoryCore

/// Gives the history of a log a name of its own where its file is a copy that was made by other means than a backup.
///
/// The header of a log notes the file that it was written to. A copy brings the note along and is another file: both
/// could be written on, under one name, and a consumer that resumes in one could not tell it from the other.
struct LogNaming {
    /// How the log is to be served.
    enum Outcome {
        /// Under its name.
        case kept
        /// Under its name; the header notes the present file now.
        case noted(LogHeader)
        /// Under a name of its own.
        case named(LogHeader)
        /// It is a copy that has no room for a name of its own, and no event is added to it under that of another.
        case refused(StorageError)
    }

    private let environment: Environment
    private let old: LogHeader
    private let file: FileIdentity

    /// - Parameter old: the header that the log has. One of version 2 notes no file.
    /// - Throws: `.failed` where the system refuses to tell of the file.
    init(_ environment: Environment, _ old: LogHeader) throws(StorageError) {
        self.environment = environment
        self.old = old
        file = try environment.fileIdentity()
    }

    /// Writes what has to be written, where all events are in blocks.
    ///
    /// - Parameters:
    ///   - isFlushed: whether all events are in blocks.
    ///   - head: the last event.
    /// - Throws: `.failed` where it is unknown what was written.
    func run(isFlushed: Bool, _ head: Position) throws(StorageError) -> Outcome {
        guard let noted = old.file else {
            let header = old.with(old.identity, in: file)
            return isFlushed ? try written(header) ? .noted(header) : .kept : .kept
        }
        guard !noted.isSame(as: file) else { return .kept }
        let header = old.with(old.identity.copy(id: try RandomBytes.make(LogHeader.idCount), at: head), in: file)
        return isFlushed ? try written(header) ? .named(header) : .refused(refusal) : .refused(refusal)
    }

    private var refusal: StorageError {
        .full(
            "\(environment.path) is a copy, and there is no room to give its history a name of its own: make room and start "
                + "it again")
    }

    /// False where there is no room.
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
