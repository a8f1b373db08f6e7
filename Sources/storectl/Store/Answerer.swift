import Glibc
import StoryClient
import StoryCore
import StoryOffline
import StoryStorage

/// The source of replies to queries: the daemon, or its data directory.
struct Answerer {
    private let answer: (String) throws(ClientError) -> StoreReply
    /// The ID of the store's history; nil when no daemon is asked.
    let log: String?

    /// Uses a daemon.
    init(_ connection: StoreConnection) {
        log = ShownJSON(connection.greeting)?.members["log"]?.text
        answer = { request throws(ClientError) in try connection.ask(request) }
    }

    /// Reads a data directory, whose log is folded first.
    ///
    /// - Parameter last: the position where the fold ends.
    /// - Throws: the reason why the directory cannot be read.
    init(reading path: String, through last: Position = .max) throws(CommandError) {
        ReaderProcess.useFreeNumber(for: path)
        let progress = Progress("folding the log", "events")
        let queries = try StoredData.used { () throws(StorageError) in
            try Interruption.endingAtOnce { () throws(StorageError) in
                try StoredQueries(
                    try DataDirectory(path, for: .reading), Kinds.table, clock: .system, through: last,
                    progress: { progress.show($0.value, of: $1.value) })
            }
        }
        log = nil
        answer = { request throws(ClientError) in try Answerer.reply(queries.answer(request)) }
    }

    /// Sends one request; a refusal is thrown, after the rows that came before it.
    ///
    /// - Parameter each: takes the rows.
    func ask(
        _ request: String, _ each: ([ReplyLine]) throws(CommandError) -> Void = { _ in }
    ) throws(CommandError) -> StoreReply {
        let reply: StoreReply
        do throws(ClientError) {
            reply = try answer(request)
        } catch {
            throw .store(error)
        }
        try each(reply.rows)
        if let refusal = reply.refusal { throw .refused(refusal, json: reply.final.json) }
        return reply
    }

    private static func reply(_ bytes: [UInt8]) throws(ClientError) -> StoreReply {
        var lines = bytes.split(separator: 0x0A).compactMap { ReplyLine($0) }
        guard let last = lines.popLast() else { throw .connectionLost }
        return StoreReply(rows: lines, final: last)
    }
}

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
    static func useFreeNumber(for directory: String) {
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
