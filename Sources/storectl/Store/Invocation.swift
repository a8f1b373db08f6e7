import StoryClient
import StoryCore
import StoryStorage

/// The input of a subcommand: its arguments, the search for the store, and the output.
struct Invocation {
    var arguments: Arguments
    let output = Output()
    /// The longest wait for a reply.
    let timeout: Duration
    /// The descriptor that is readable once the run was interrupted.
    let interruption: Int32
    private let search: StoreSearch

    init(_ arguments: Arguments) throws(CommandError) {
        let seconds = arguments.value("timeout") ?? "20"
        guard let value = Double(seconds), value >= 0.001, value <= 86_400 else {
            throw .usage("--timeout is a number of seconds from 0.001 to 86400, not \"\(seconds)\"")
        }
        self.arguments = arguments
        timeout = .milliseconds(Int64(value * 1_000))
        interruption = Interruption.start()
        search = StoreSearch(arguments.value("socket"))
    }

    var isJSON: Bool { arguments.has("json") }
    var answers: Answers { Answers(output: output, isJSON: isJSON) }

    /// Returns the data directory for work without a daemon.
    func dataDirectory() throws(CommandError) -> String {
        guard let directory = try localDirectory() else {
            throw .usage("there is no home to look for the data in; say where it is with --data DIR")
        }
        return directory
    }

    private func localDirectory() throws(CommandError) -> String? {
        do throws(NotUTF8) {
            return try ProcessInput.paths().data(arguments.value("data"))
        } catch {
            throw .usage("\(error)")
        }
    }

    /// Returns the absolute path.
    static func absolute(_ path: String) throws(CommandError) -> String {
        do throws(StorageError) { return try ProcessInput.absolute(path) } catch { throw StoredData.told(error) }
    }

    /// Connects to the daemon.
    ///
    /// - Parameters:
    ///   - writes: true for requests that may write, which of a list of stores go to one that takes them.
    ///   - limit: the longest wait; that of the command line, if it is shorter.
    func connect(writes: Bool = false, within limit: Duration = .seconds(86_400)) throws(CommandError)
        -> StoreConnection
    {
        guard !arguments.has("data") || arguments.has("socket") else {
            let hint = arguments.verb == "append" ? "; the event's data goes with --body" : ""
            throw .usage("\(arguments.verb ?? "") asks a running daemon; give its --socket in place of --data\(hint)")
        }
        return try search.connect(timeout: min(timeout, limit), interruption: interruption, writes: writes)
    }

    /// Connects, and returns the store's address for the option --socket of another program; nil for the one that it finds
    /// itself.
    func reachedSocket() throws(CommandError) -> String? {
        _ = try connect()
        return search.foundSocket()
    }

    /// Sends one request and returns its reply; a refusal is thrown.
    ///
    /// - Parameter writes: true for a request that writes.
    func ask(_ request: String, writes: Bool = false) throws(CommandError) -> StoreReply {
        try Answerer(try connect(writes: writes)).ask(request)
    }

    /// Sends a request that takes long, and waits without a limit unless `--timeout` was given.
    ///
    /// - Parameters:
    ///   - step: the name of the work on the terminal.
    ///   - writes: true for a request that may write.
    func askLong(_ request: String, _ step: String, writes: Bool = false) throws(CommandError) -> StoreReply {
        try askLong(request, step, over: try connect(writes: writes))
    }

    /// Sends a request that takes long to the store that takes writes; another store names that one's address.
    func askLeader(_ request: String, _ step: String) throws(CommandError) -> StoreReply {
        do throws(CommandError) {
            return try askLong(request, step, writes: true)
        } catch {
            guard case .refused(let refusal, _) = error, let leader = refusal.leader,
                let connection = try? StoreConnection(to: leader, timeout: timeout, interruption: interruption)
            else { throw error }
            return try askLong(request, step, over: connection)
        }
    }

    private func askLong(
        _ request: String, _ step: String, over connection: StoreConnection
    ) throws(CommandError) -> StoreReply {
        if !arguments.has("timeout") { connection.timeout = nil }
        return try Stopwatch.run(step) { () throws(CommandError) in try Answerer(connection).ask(request) }
    }

    /// Returns the source of replies: the daemon, or the data directory if one is named.
    func answerer() throws(CommandError) -> Answerer {
        guard arguments.has("data") else { return Answerer(try connect()) }
        return try Answerer(reading: try dataDirectory())
    }

    /// Returns the daemon's reply; nil when the data directory is to be read.
    ///
    /// That is so when the directory was named, or no daemon can be reached and none was named by `--socket` or
    /// `STORED_SOCKET`.
    ///
    /// - Throws: the other errors of `ask`.
    func asked<Answer>(_ ask: () throws(CommandError) -> Answer) throws(CommandError) -> Answer? {
        if arguments.has("data") { return nil }
        // The user's own data is read if no daemon serves it.
        if let own = try localDirectory() { search.includesService = !Folder.exists(own) }
        do throws(CommandError) {
            return try ask()
        } catch {
            guard case .store(.unreachable) = error, try search.named() == nil else { throw error }
            return nil
        }
    }

    /// Returns the data directory that the daemon reports.
    ///
    /// - Throws: the reason why the daemon cannot be asked.
    func askedDirectory() throws(CommandError) -> String {
        let reply = try ask("STATS")
        guard let path = ShownJSON(reply.final.json)?.members["data"]?.text else {
            throw CommandError.system("the daemon does not say where its data is; say it with --data DIR")
        }
        return path
    }
}
