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
        ReaderProcess.takeOwnNumber(for: path)
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
