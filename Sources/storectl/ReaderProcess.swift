import Glibc
import StoryStorage

/// The choice of a process number that no other reader of a data directory has.
///
/// LMDB knows its readers by their process numbers, which are unique in one container only: in most, the program is
/// process 1. When the number is taken, the run is repeated in a child process, which has another number.
enum ReaderProcess {
    /// The environment variable that counts the repetitions.
    private static let variable = "STORYKEEP_READER_ATTEMPT"
    private static let mostAttempts = 32

    /// Returns when this process may read; otherwise a child runs instead, and the process ends with the child's exit
    /// code.
    ///
    /// It must be called before the directory is opened, and before anything is read or written.
    static func takeOwnNumber(for directory: String) {
        let attempt = getenv(variable).flatMap { Int(String(cString: $0)) } ?? 0
        // A daemon that starts meanwhile in another container is likely to be process 1 there.
        guard ReaderNumber.isTaken(in: directory) || getpid() == 1, attempt < mostAttempts else { return }
        setenv(variable, "\(attempt + 1)", 1)
        guard let child = ProcessInput.startAgain() else { return }
        Interruption.beforeAbruptEnd { kill(child, SIGTERM) }
        var status: Int32 = 0
        Interruption.endingAtOnce { while waitpid(child, &status, 0) < 0, errno == EINTR {} }
        exit(status & 0x7F == 0 ? status >> 8 & 0xFF : ExitCode.interrupted.rawValue)
    }
}
